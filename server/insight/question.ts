import type { DealFilter, DealSort } from '../deals/find/wire.ts'
import { fieldOf } from '../deals/milestones/milestone.ts'
import { addDays } from '../protocol/zone.ts'
import { type StageKind, isClosed } from '../stages/stage.ts'

/** A question about all deals: how many match, and their total amount. */
export interface Question {
  /** The filter of the counted deals. */
  filter: DealFilter
  /** The order of the list, most urgent first. */
  sort: DealSort
  /** Whether only open deals count. */
  isOpen: boolean
}

/** The headline figures. */
export const figureNames = ['open', 'installed', 'funded'] as const
/** What installed, unfunded deals wait for. */
export const partNames = ['toSubmit', 'toApprove'] as const
/** Deals left out of the weekly counts because the date is unknown. */
export const undatedNames = ['notCreated', 'notInstalled', 'notFunded'] as const
/** The deals left out of the money figures: at an unknown gate, or without an amount. */
export const unclearNames = ['gateNotKnown', 'unpriced'] as const
/**
 * Attention reasons, most urgent first: delays of payments for installed systems come before delays of
 * installations.
 */
export const attentionNames = [
  'unfunded',
  'unapproved',
  'reInspection',
  'lateInstall',
  'latePermit',
  'outstandingItems',
  'changedAdders',
  'hoaApproval',
  'quiet',
] as const

export type FigureName = (typeof figureNames)[number]
export type AttentionName = (typeof attentionNames)[number]
export type PartName = (typeof partNames)[number]
export type UndatedName = (typeof undatedNames)[number]
export type UnclearName = (typeof unclearNames)[number]
export type QuestionName = FigureName | PartName | AttentionName | UndatedName | UnclearName

/** Days after which an installed or submitted deal needs attention. */
const unpaidAfterDays = 14
const quietAfterDays = 30
/** Including today. */
const fundedWithinDays = 30

/** Days of tolerance after its date; none if the date was planned. */
export const allowedDays: Readonly<Record<AttentionName, number>> = {
  unfunded: unpaidAfterDays,
  unapproved: unpaidAfterDays,
  reInspection: 7,
  lateInstall: 0,
  latePermit: 0,
  outstandingItems: 14,
  changedAdders: 14,
  hoaApproval: 30,
  quiet: quietAfterDays,
}

const installed = fieldOf('install', 'end')
const funded = fieldOf('funding', 'end')
const reInspection = fieldOf('reInspection', 'begin')
const designed = fieldOf('cad', 'end')

/** Returns a question about open deals. */
const ofOpen = (filter: DealFilter, field: DealSort['field']): Question => ({
  filter,
  sort: { field, direction: 'asc' },
  isOpen: true,
})

/** Filters deals with unknown dates. */
const undated = (filter: DealFilter): Question => ({
  filter,
  sort: { field: 'lastModified', direction: 'desc' },
  isOpen: false,
})

/** The waiting deals, longest in their stage first. */
export const waitingQuestion: Question = {
  filter: {},
  sort: { field: 'timeInCurrentStage', direction: 'asc' },
  isOpen: true,
}

/** Returns the questions of the overview on a day, such as `2026-03-01`. */
export function questionsOf(today: string): Record<QuestionName, Question> {
  const late = (name: 'install' | 'permit') => ofOpen({ lateWith: [name] }, fieldOf(name, 'plan'))
  const longAgo = { to: addDays(today, -unpaidAfterDays) }
  return {
    // All deals in open stages, so that it equals the sum shown by stage.
    open: { filter: {}, sort: { field: 'lastModified', direction: 'desc' }, isOpen: true },
    installed: ofOpen({ gates: ['submit', 'approve'] }, installed),
    toSubmit: ofOpen({ gates: ['submit'] }, installed),
    toApprove: ofOpen({ gates: ['approve'] }, funded),
    funded: {
      filter: { dates: { [funded]: { from: addDays(today, 1 - fundedWithinDays), to: today } } },
      sort: { field: funded, direction: 'desc' },
      isOpen: false,
    },
    unfunded: ofOpen({ gates: ['submit'], dates: { [installed]: longAgo } }, installed),
    unapproved: ofOpen({ gates: ['approve'], dates: { [funded]: longAgo } }, funded),
    reInspection: ofOpen({ present: [reInspection], todo: ['inspection'] }, reInspection),
    lateInstall: late('install'),
    latePermit: late('permit'),
    outstandingItems: ofOpen({ flags: { hasOutstandingItems: true } }, 'timeInCurrentStage'),
    changedAdders: ofOpen({ flags: { hasChangesToAdders: true } }, 'timeInCurrentStage'),
    // An association reviews the design, so before that its approval is not pending.
    hoaApproval: ofOpen(
      { flags: { hasHoa: true }, present: [designed], missing: [fieldOf('hoa', 'end')], todo: ['install'] },
      designed,
    ),
    quiet: ofOpen({ dates: { lastModified: { to: addDays(today, -quietAfterDays) } } }, 'lastModified'),
    // As many as the money figures have at no gate.
    gateNotKnown: ofOpen({ gates: ['unknown'] }, 'timeInCurrentStage'),
    unpriced: undated({ missing: ['amount'] }),
    notCreated: undated({ missing: ['createDate'] }),
    notInstalled: undated({ done: ['install'], missing: [installed] }),
    notFunded: undated({ done: ['funding'], missing: [funded] }),
  }
}

/** Returns the filter of a question's deals, given the existing stages. */
export function questionFilter(
  { filter, isOpen }: Question,
  stages: readonly { stage: string; kind: StageKind }[],
): DealFilter {
  if (!isOpen || !stages.some(({ kind }) => isClosed(kind))) return filter
  const open = stages.filter(({ kind }) => !isClosed(kind)).map(({ stage }) => stage)
  // An empty list would match all; if all stages are closed, only deals without one remain.
  return { ...filter, stages: open.length > 0 ? open : [''] }
}

/** A number of deals and their dollars. */
export interface Tally {
  count: number
  amount: number
}
