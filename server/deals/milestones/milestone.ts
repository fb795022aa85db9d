import type { AwaitedStep } from '../../stages/place.ts'
import type { FlagField, KnownDeal, TimeField } from '../deal.ts'
import { isFailure } from './inspection.ts'

/** The role of a milestone's date: begin, plan or end. */
export type Part = 'begin' | 'plan' | 'end'

/** A date of a milestone, and the deal's field that holds it. */
export interface MilestoneDate {
  field: TimeField
  part: Part
  /** Label where the milestone is already named: `Requested`. */
  label: string
  /** Label elsewhere, as in a filter or column: `Site survey requested`. */
  fullLabel: string
}

/** A step of a deal and the fields that record its progress. */
export interface Milestone {
  name: string
  label: string
  dates: readonly MilestoneDate[]
  /** The awaited step as part of a sentence, if it differs from the label. */
  awaited?: string
  /** Returns whether this deal has the step; without it, every deal does. */
  isThere?: (deal: KnownDeal) => boolean
  /** The flag that marks the step as done without a date. */
  doneFlag?: FlagField
  /** The field with the step's result; a result means it is done. */
  resultField?: 'inspectionResults' | 'reInspectionResults'
}

/** Returns the dates of a milestone, labeled by its short name and event, with exceptions. */
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
 * The milestones of a solar project, in order. Columns, filters, timeline and overview follow this table.
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

/** The sequential milestones of every deal; the others run in parallel. */
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

/** Returns the milestone of this name. */
export const milestoneOf = (name: MilestoneName) => all.find((milestone) => milestone.name === name)!

/** Names an awaited step as part of a sentence. */
export function awaitedText(name: MilestoneName): string {
  const { label, awaited = label } = milestoneOf(name)
  return /^[A-Z][a-z]/.test(awaited) ? awaited[0]!.toLowerCase() + awaited.slice(1) : awaited
}

/** Returns the milestone of an awaited step; payment has none. */
export function milestoneOfStep(step: AwaitedStep): MilestoneName | null {
  if (step === 'permitSubmission') return 'permit'
  return step === 'payment' ? null : step
}

/**
 * Returns the field with the start, plan or end of a milestone.
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
 * Returns the milestones of this deal in order, including HOA if its stage implies one. A re-install follows
 * the inspection unless it was planned before.
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
