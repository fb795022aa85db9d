import { fieldOf } from '../deals/milestone.ts'
import type { DealFilter, DealSort } from '../search/wire.ts'
import { addDays } from '../values/zone.ts'

/** A question about all deals. The answer is the number of matching deals and their total amount. */
export interface Question {
  filter: DealFilter
  sort: DealSort
}

/** Reasons why weekly counts leave out deals: a missing creation, installation or funding date. */
export const undatedNames = ['notCreated', 'notInstalled', 'notFunded'] as const
/**
 * Reasons for attention, most urgent first. Late payments for installed systems come before late
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

/** Number of days after which an unpaid installed or submitted deal needs attention. */
const unpaidAfterDays = 14
const quietAfterDays = 30

/** Number of days after the date of a reason before a deal counts. 0 for planned dates. */
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

const ofOpen = (filter: DealFilter, field: DealSort['field']): Question => ({
  filter: { ...filter, isOpen: true },
  sort: { field, direction: 'asc' },
})

const undated = (filter: DealFilter): Question => ({
  filter,
  sort: { field: 'lastModified', direction: 'desc' },
})

/** Returns the questions as of a day such as `2026-03-01`. */
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
    // An HOA reviews the design, so its approval is not pending before there is a design.
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
