import { fieldOf } from '../deals/milestones/milestone.ts'
import type { DealFilter, DealSort } from '../search/wire.ts'
import { addDays } from '../values/zone.ts'

/** A question about all deals: how many match, and their total amount. */
export interface Question {
  /** The filter of the counted deals. */
  filter: DealFilter
  /** The order of the list, most urgent first. */
  sort: DealSort
}

/** Deals left out of the weekly counts because the date is unknown. */
export const undatedNames = ['notCreated', 'notInstalled', 'notFunded'] as const
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

export type AttentionName = (typeof attentionNames)[number]
export type UndatedName = (typeof undatedNames)[number]
export type QuestionName = AttentionName | UndatedName

/** Days after which an installed or submitted deal needs attention. */
const unpaidAfterDays = 14
const quietAfterDays = 30

/** Days after a reason's date before a deal counts; 0 for planned dates. */
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
  filter: { ...filter, isOpen: true },
  sort: { field, direction: 'asc' },
})

/** Filters deals with unknown dates. */
const undated = (filter: DealFilter): Question => ({
  filter,
  sort: { field: 'lastModified', direction: 'desc' },
})

/** Returns the questions on a day, such as `2026-03-01`. */
export function questionsOf(today: string): Record<QuestionName, Question> {
  const late = (name: 'install' | 'permit') => ofOpen({ lateWith: [name] }, fieldOf(name, 'plan'))
  const longAgo = { to: addDays(today, -unpaidAfterDays) }
  return {
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
    notCreated: undated({ missing: ['createDate'] }),
    notInstalled: undated({ done: ['install'], missing: [installed] }),
    notFunded: undated({ done: ['funding'], missing: [funded] }),
  }
}

/** A number of deals and their dollars. */
export interface Tally {
  count: number
  amount: number
}
