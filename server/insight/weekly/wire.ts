import type { DealFilter } from '../../search/wire.ts'
import { z } from '../../values/input.ts'
import type { MoneyFigures } from '../money/wire.ts'
import type { AttentionName, UndatedName } from '../question.ts'
import type { Counted, NewsLine } from '../wire.ts'
import { mondayOfWeek } from './week.ts'

export const GetWeek = z.object({
  /** An ISO week such as `2026-W48`. Null means this week or, on a Monday, the previous week. */
  week: z
    .string()
    .refine((week) => mondayOfWeek(week) !== null, 'must be a week such as 2026-W48')
    .nullish(),
})

/** Kinds of changes counted per week. */
export const movedNames = ['new', 'moved', 'installed', 'funded'] as const
export type MovedName = (typeof movedNames)[number]

export const movedLabels: Readonly<Record<MovedName, string>> = {
  new: 'New deals',
  moved: 'Changed stage',
  installed: 'Installed',
  funded: 'Funding submitted',
}

/** Number of deals with a kind of change in the week. */
export interface MovedFigure {
  name: MovedName
  count: number
  /** True if there may be more deals than were counted. */
  isMore: boolean
  filter: DealFilter
}

/** Questions that count late deals. */
export const lateNames = ['lateInstall', 'latePermit'] as const satisfies AttentionName[]

/**
 * A week of the tenant's deals: the changes of the week, and the deals that are late, blocked or expected
 * today.
 */
export interface WeekReport {
  week: string
  /** Monday and Sunday of the week. */
  from: string
  to: string
  previous: string
  /** Null for the latest week. */
  next: string | null
  today: string
  /** Time of today's figures (ISO 8601) if they are older than the list, otherwise null. */
  asOf: string | null
  /** True if the stage changes of the whole week are still stored. */
  isKept: boolean
  /** Number of the tenant's deals. 0 if there is nothing to show yet. */
  dealCount: number
  moved: MovedFigure[]
  /** Deals that `moved` leaves out because a date is missing. */
  undated: Counted<UndatedName>[]
  /** The most recent new and moved deals. */
  lines: NewsLine[]
  late: Counted<(typeof lateNames)[number]>[]
  holds: MoneyFigures['holds']
  /** Overdue deals, and deals expected this week and next week. */
  expected: MoneyFigures['expected']
  /** Open deals without an expected date. */
  notExpected: MoneyFigures['notExpected']
}

export const SetDigest = z.object({ isOn: z.boolean() })
