import type { AwaitedStep } from '../stages/place.ts'
import type { FlagField, KnownDeal, TimeField } from './deal.ts'

/** Whether a milestone's date is its begin, its plan or its end. */
export type Part = 'begin' | 'plan' | 'end'

/** A date of a milestone, and the field that contains the date. */
export interface MilestoneDate {
  field: TimeField
  part: Part
  /** The label next to the milestone's name, such as `Requested`. */
  label: string
  /** The label in all other places, such as filters and columns: `Site survey requested`. */
  fullLabel: string
}

/** A step of a deal, and the fields that record its progress. */
export interface Milestone {
  name: string
  label: string
  dates: readonly MilestoneDate[]
  /** How the awaited milestone is named within a sentence, if not by its label. */
  awaited?: string
  /** Returns true if a deal has this milestone. If absent, every deal has it. */
  isThere?: (deal: KnownDeal) => boolean
  /** The flag that marks the milestone as completed if there is no date. */
  doneFlag?: FlagField
  /** The field that contains the result. If there is a result, the milestone is completed. */
  resultField?: 'inspectionResults' | 'reInspectionResults'
}

/** Returns the dates of a milestone. By default, the full label is the short name followed by the label. */
function datesOf(
  shortName: string,
  dates: [field: TimeField, part: Part, label: string, fullLabel?: string][],
): MilestoneDate[] {
  return dates.map(([field, part, label, fullLabel = `${shortName} ${label.toLowerCase()}`]) => ({
    field,
    part,
    label,
    fullLabel,
  }))
}

/**
 * The milestones of a solar project, in order. Columns, filters, the timeline and the overview are based on
 * this table.
 */
export const milestones = [
  {
    name: 'created',
    label: 'Created',
    dates: datesOf('', [['createDate', 'end', 'On', 'Created']]),
  },
  {
    name: 'survey',
    label: 'Site survey',
    dates: datesOf('Site survey', [
      ['siteSurveyRequested', 'begin', 'Requested'],
      ['siteSurveyCompleted', 'end', 'Completed'],
    ]),
  },
  {
    name: 'cad',
    label: 'CAD design',
    dates: datesOf('CAD', [
      ['cadRequested', 'begin', 'Requested'],
      ['cadCompleted', 'end', 'Completed'],
    ]),
  },
  {
    name: 'redesign',
    label: 'Redesign',
    dates: datesOf('Redesign', [['redesignCompleteDate', 'end', 'Completed']]),
    isThere: (deal) => deal.redesignCompleteDate !== null,
  },
  {
    name: 'reSign',
    label: 'Re-sign',
    dates: datesOf('Re-sign', [['reSignDate', 'end', 'Signed', 'Re-signed']]),
    awaited: 'contract re-signing',
    isThere: (deal) => deal.reSignDate !== null,
  },
  {
    name: 'engineering',
    label: 'Engineering',
    dates: datesOf('Engineering', [
      ['engineeringRequested', 'begin', 'Requested'],
      ['engineeringCompleted', 'end', 'Completed'],
    ]),
  },
  {
    name: 'ntp',
    label: 'Notice to proceed',
    dates: datesOf('NTP', [
      ['ntpRequested', 'begin', 'Requested'],
      ['ntpApproved', 'end', 'Approved'],
    ]),
  },
  {
    name: 'hoa',
    label: 'HOA approval',
    dates: datesOf('HOA', [['hoaApprovedDate', 'end', 'Approved']]),
    isThere: (deal) => deal.hasHoa === true || deal.hoaApprovedDate !== null,
  },
  {
    name: 'permit',
    label: 'Permit',
    dates: datesOf('Permit', [
      ['permitSubmitted', 'begin', 'Submitted'],
      ['expectedPermitDeliveryDate', 'plan', 'Expected'],
      ['permitReceived', 'end', 'Received'],
    ]),
  },
  {
    name: 'install',
    label: 'Install',
    dates: datesOf('Install', [
      ['installedScheduled', 'plan', 'Scheduled'],
      ['installComplete', 'end', 'Completed'],
    ]),
    doneFlag: 'installCompleted',
  },
  {
    name: 'inspection',
    label: 'Inspection',
    dates: datesOf('Inspection', [['inspectionRequested', 'begin', 'Requested']]),
    resultField: 'inspectionResults',
  },
  {
    name: 'reInstall',
    label: 'Re-install',
    dates: datesOf('Re-install', [['reInstallScheduled', 'plan', 'Scheduled']]),
    isThere: (deal) => deal.reInstallScheduled !== null,
  },
  {
    name: 'reInspection',
    label: 'Re-inspection',
    dates: datesOf('Re-inspection', [['reInspectionRequested', 'begin', 'Requested']]),
    isThere: (deal) =>
      deal.reInspectionRequested !== null ||
      Boolean(deal.reInspectionResults) ||
      isFailure(deal.inspectionResults),
    resultField: 'reInspectionResults',
  },
  {
    name: 'funding',
    label: 'Funding',
    dates: datesOf('Funding', [['fundingSubmitted', 'end', 'Submitted']]),
    awaited: 'funding submission',
  },
  { name: 'm2', label: 'M2 approval', dates: [], doneFlag: 'm2Approved' },
] as const satisfies readonly Milestone[]

export type MilestoneName = (typeof milestones)[number]['name']

/** Milestones of every deal that happen one after the other. All other milestones happen in parallel. */
export const sequentialMilestones = [
  'survey',
  'cad',
  'engineering',
  'ntp',
  'permit',
  'install',
  'inspection',
  'funding',
  'm2',
] as const satisfies readonly MilestoneName[]
export type CourseMilestone = (typeof sequentialMilestones)[number]

const all: readonly Milestone[] = milestones

/** Returns the milestone with this name. */
export const milestoneOf = (name: MilestoneName) => all.find((milestone) => milestone.name === name)!

/** Returns the name of an awaited milestone for use within a sentence. */
export function awaitedText(name: MilestoneName): string {
  const { label, awaited = label } = milestoneOf(name)
  return /^[A-Z][a-z]/.test(awaited) ? awaited[0]!.toLowerCase() + awaited.slice(1) : awaited
}

/** Returns the milestone of an awaited step, or null for payment, which has no milestone. */
export function milestoneOfStep(step: AwaitedStep): MilestoneName | null {
  if (step === 'permitSubmission') return 'permit'
  return step === 'payment' ? null : step
}

/**
 * Returns the field that contains the begin, plan or end of a milestone.
 * @throws if it has none
 */
export function fieldOf(name: MilestoneName, part: Part): TimeField {
  const date = milestoneOf(name).dates.find((each) => each.part === part)
  if (date === undefined) throw new Error(`the milestone ${name} has no date of its ${part}`)
  return date.field
}

/** The dates of all milestones, in process order. */
export const milestoneDates = all.flatMap(({ dates }) => dates)

/**
 * Returns the milestones of this deal in order. Includes HOA approval if the deal's stage implies that. A
 * re-install comes after the inspection, unless it was planned earlier.
 */
export function milestonesOf(deal: KnownDeal, waitsForHoa = false): Milestone[] {
  const had = all.filter(({ name, isThere }) => (isThere?.(deal) ?? true) || (waitsForHoa && name === 'hoa'))
  const { reInstallScheduled, inspectionRequested } = deal
  if (
    reInstallScheduled === null ||
    (inspectionRequested !== null && inspectionRequested <= reInstallScheduled)
  )
    return had
  const [inspection, reInstall] = ['inspection', 'reInstall'].map((name) =>
    had.findIndex((milestone) => milestone.name === name),
  ) as [number, number]
  return had.with(inspection, had[reInstall]!).with(reInstall, had[inspection]!)
}

/** Returns true if an inspection result, which is free text, means that the inspection failed. */
export const isFailure = (result: string | null) => /^\s*fail/i.test(result ?? '')

type Inspected = 'inspectionResults' | 'reInspectionResults' | 'reInspectionRequested'

/**
 * Returns the outcome of the last inspection, or null if there was none. If a re-inspection was requested and
 * has no result yet, the inspection failed.
 */
export function inspectionOutcome({
  inspectionResults,
  reInspectionResults,
  reInspectionRequested,
}: { [Name in Inspected]?: string | null }): 'passed' | 'failed' | null {
  if (reInspectionResults) return isFailure(reInspectionResults) ? 'failed' : 'passed'
  if (reInspectionRequested != null) return 'failed'
  if (!inspectionResults) return null
  return isFailure(inspectionResults) ? 'failed' : 'passed'
}
