import type { DealFilter } from '../../search/wire.ts'
import { z } from '../../values/input.ts'
import type { MoneyFigures } from '../money/wire.ts'
import type { AttentionName, UndatedName } from '../question.ts'
import type { Counted, NewsLine } from '../wire.ts'
import { mondayOfWeek } from './week.ts'

export const GetWeek = z.object({
  /** An ISO week such as `2026-W48`; null: this week, or on a Monday the previous one. */
  week: z
    .string()
    .refine((week) => mondayOfWeek(week) !== null, 'must be a week such as 2026-W48')
    .nullish(),
})

/** The changes that the week counts. */
export const movedNames = ['new', 'moved', 'installed', 'funded'] as const
export type MovedName = (typeof movedNames)[number]

/** The label of each event. */
export const movedLabels: Readonly<Record<MovedName, string>> = {
  new: 'New deals',
  moved: 'Changed stage',
  installed: 'Installed',
  funded: 'Funding submitted',
}

/** The number of deals with an event in the week. */
export interface MovedFigure {
  name: MovedName
  count: number
  /** Whether there may be more, which are not counted. */
  isMore: boolean
  filter: DealFilter
}

/** The questions that count deals past a date. */
export const lateNames = ['lateInstall', 'latePermit'] as const satisfies AttentionName[]

/** A week of the tenant's deals: its changes, and the late, blocked and expected deals of today. */
export interface WeekReport {
  week: string
  /** Its Monday and its Sunday. */
  from: string
  to: string
  previous: string
  /** Null for the latest week. */
  next: string | null
  today: string
  /** ISO 8601: the time of the current figures if they are older than the list; null if current. */
  asOf: string | null
  /** Whether stage changes are still known for the whole week. */
  isKept: boolean
  /** All deals; 0 if there is nothing to show yet. */
  dealCount: number
  moved: MovedFigure[]
  /** The deals that `moved` leaves out. */
  undated: Counted<UndatedName>[]
  /** The newest of the new and moved deals. */
  lines: NewsLine[]
  late: Counted<(typeof lateNames)[number]>[]
  holds: MoneyFigures['holds']
  /** Overdue, this week and next week. */
  expected: MoneyFigures['expected']
  /** The open deals that `expected` leaves out. */
  notExpected: MoneyFigures['notExpected']
}

export const SetDigest = z.object({ isOn: z.boolean() })
