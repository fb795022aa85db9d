import type { Deal } from '#server/deals/deal.ts'
import type { TimeField } from '#server/deals/find/columns.ts'

/** What a date of a step says: when it began, what was planned, when it was finished. */
export type Part = 'begin' | 'plan' | 'end'

/** A step that a deal can have, and where the deal says what has come of it. */
export interface CourseStep {
  name: string
  label: string
  dates: readonly { field: TimeField; part: Part; label: string }[]
  /** Whether this deal has the step at all. */
  isThere?: (deal: Deal) => boolean
  /** Whether this deal is said to need it not. */
  isNeedless?: (deal: Deal) => boolean
  /** Whether the deal says so without a date. */
  isDone?: (deal: Deal) => boolean
  result?: (deal: Deal) => string | null
}

const date = (field: TimeField, part: Part, label: string) => ({ field, part, label })
const asked = (begin: TimeField, end: TimeField, answer = 'Completed') => [
  date(begin, 'begin', 'Requested'),
  date(end, 'end', answer),
]

/** Whether a result of an inspection, which is free text, says that it did not go well. */
export const isFailure = (result: string | null) => /^\s*fail/i.test(result ?? '')

/** The course of a solar project, in the order of the trade. */
const course = [
  { name: 'created', label: 'Created', dates: [date('createDate', 'end', 'On')], isDone: () => true },
  { name: 'survey', label: 'Site survey', dates: asked('siteSurveyRequested', 'siteSurveyCompleted') },
  { name: 'cad', label: 'CAD design', dates: asked('cadRequested', 'cadCompleted') },
  {
    name: 'redesign',
    label: 'Redesign',
    dates: [date('redesignCompleteDate', 'end', 'Completed')],
    isThere: (deal) => deal.redesignCompleteDate !== null,
  },
  {
    name: 'reSign',
    label: 'Re-sign',
    dates: [date('reSignDate', 'end', 'Signed')],
    isThere: (deal) => deal.reSignDate !== null,
  },
  { name: 'engineering', label: 'Engineering', dates: asked('engineeringRequested', 'engineeringCompleted') },
  { name: 'ntp', label: 'Notice to proceed', dates: asked('ntpRequested', 'ntpApproved', 'Approved') },
  {
    name: 'hoa',
    label: 'HOA approval',
    dates: [date('hoaApprovedDate', 'end', 'Approved')],
    isThere: (deal) => deal.hasHoa || deal.hoaApprovedDate !== null,
  },
  {
    name: 'permit',
    label: 'Permit',
    isNeedless: (deal) => !deal.permitRequired,
    dates: [
      date('permitSubmitted', 'begin', 'Submitted'),
      date('expectedPermitDeliveryDate', 'plan', 'Expected'),
      date('permitReceived', 'end', 'Received'),
    ],
  },
  {
    name: 'install',
    label: 'Install',
    dates: [date('installedScheduled', 'plan', 'Scheduled'), date('installComplete', 'end', 'Completed')],
    isDone: (deal) => deal.installCompleted,
  },
  {
    name: 'inspection',
    label: 'Inspection',
    dates: [date('inspectionRequested', 'begin', 'Requested')],
    isNeedless: (deal) => !deal.inspectionRequired,
    isDone: (deal) => Boolean(deal.inspectionResults),
    result: (deal) => deal.inspectionResults,
  },
  {
    name: 'reInstall',
    label: 'Re-install',
    dates: [date('reInstallScheduled', 'plan', 'Scheduled')],
    isThere: (deal) => deal.reInstallScheduled !== null,
  },
  {
    name: 'reInspection',
    label: 'Re-inspection',
    dates: [date('reInspectionRequested', 'begin', 'Requested')],
    isThere: (deal) =>
      deal.reInspectionRequested !== null ||
      Boolean(deal.reInspectionResults) ||
      isFailure(deal.inspectionResults),
    isDone: (deal) => Boolean(deal.reInspectionResults),
    result: (deal) => deal.reInspectionResults,
  },
  { name: 'funding', label: 'Funding', dates: [date('fundingSubmitted', 'end', 'Submitted')] },
] as const satisfies readonly CourseStep[]

export type StepName = (typeof course)[number]['name']

/** The steps that this deal has, in its order: mostly a re-install mends what an inspection found, but not when it was planned before that. */
export function courseOf(deal: Deal): CourseStep[] {
  const steps = (course as readonly CourseStep[]).filter(({ isThere }) => isThere?.(deal) ?? true)
  const { reInstallScheduled, inspectionRequested } = deal
  if (
    reInstallScheduled === null ||
    (inspectionRequested !== null && inspectionRequested <= reInstallScheduled)
  )
    return steps
  const [inspection, reInstall] = ['inspection', 'reInstall'].map((name) =>
    steps.findIndex((step) => step.name === name),
  ) as [number, number]
  return steps.with(inspection, steps[reInstall]!).with(reInstall, steps[inspection]!)
}
