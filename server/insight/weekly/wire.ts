import { z } from 'zod'
import type { DealFilter } from '../../deals/find/wire.ts'
import type { courseMilestones } from '../../deals/milestones/milestone.ts'
import type { Hold, Holder } from '../../deals/milestones/money.ts'
import type { Usual } from '../money/expectation.ts'
import type { ExpectedFigure, MoneyFigures } from '../money/wire.ts'
import type { Counted, NewsLine, Overview } from '../wire.ts'
import { mondayOfWeek } from './week.ts'

export const GetWeek = z.object({
  /** An ISO week such as `2026-W48`; null: this week, on a Monday the one before. */
  week: z
    .string()
    .refine((week) => mondayOfWeek(week) !== null, 'must be a week such as 2026-W48')
    .nullish(),
})

/** What happened to deals in a week. */
export const movedNames = ['new', 'moved', 'installed', 'funded'] as const
export type MovedName = (typeof movedNames)[number]

/** The label of each. */
export const movedLabels: Readonly<Record<MovedName, string>> = {
  new: 'New deals',
  moved: 'Moved to another stage',
  installed: 'Installed',
  funded: 'Funding submitted',
}

/** A number of deals to which the same happened in the week. */
export interface MovedFigure {
  name: MovedName
  count: number
  /** Whether there may be more, which are not counted. */
  isMore: boolean
  filter: DealFilter
}

/** A step that can be late. */
export type LateStep = (typeof courseMilestones)[number]

/** The deals that wait for one thing, and those with one person. */
export interface WaitingFigure extends Counted<Hold> {
  holder: Holder | null
  /** The people, or lenders, who have most of them. */
  people: Counted<string>[]
}

/** A week of the tenant's deals: what moved in it, and what is late, waits or is expected now. */
export interface WeekReport {
  week: string
  /** Its Monday and its Sunday. */
  from: string
  to: string
  previous: string
  /** Null for a week that has begun last. */
  next: string | null
  today: string
  /** ISO 8601: what is said of now is older than the list, of this time; null: it is current. */
  asOf: string | null
  /** Whether changes of stages are still known for all of the week. */
  isKept: boolean
  /** All deals; 0 when there is nothing to show yet. */
  dealCount: number
  moved: MovedFigure[]
  /** The deals that `moved` leaves out. */
  undated: Overview['undated']
  /** The newest of the new and moved deals. */
  lines: NewsLine[]
  late: Counted<LateStep>[]
  waiting: WaitingFigure[]
  /** Overdue, this week and next week. */
  expected: ExpectedFigure[]
  /** The open deals that `expected` leaves out. */
  notExpected: MoneyFigures['notExpected']
  usual: Usual
}

export const SetDigest = z.object({ isOn: z.boolean() })
