import {
  type Gate,
  type Blocker,
  type ResponsibleRole,
  type OpenGate,
  type DealBlocker,
} from '../deals/blocker.ts'
import type { Deal, DealField } from '../deals/deal.ts'
import type { NewsKind } from '../search/filters.ts'
import type { DealFilter, DealSort } from '../search/wire.ts'
import { z } from '../values/input.ts'
import type { Tally } from '../values/units.ts'
import {
  type Age,
  type Certainty,
  type ExpectedName,
  type Period,
  type Usual,
  expectedNames,
} from './expectation.ts'
import { mondayOfWeek } from './periods.ts'
import type { AttentionName, UndatedName } from './question.ts'

/** A number of deals. The list with this filter has exactly this many deals. */
export interface Counted<Name> extends Tally {
  name: Name
  filter: DealFilter
  sort: DealSort
}

export type DealLine = Pick<
  Deal,
  'id' | 'dealname' | 'firstName' | 'lastName' | 'city' | 'state' | 'stage' | 'amount'
>

/** The net effect of several changes to a deal. */
export interface NetChange {
  /** The previous and current stage, or null if unchanged. */
  stage: { from: string | null; to: string | null } | null
  fields: DealField[]
}

/** A new or updated deal, and the time of its last change (ISO 8601). */
export interface NewsLine extends NetChange {
  deal: DealLine
  isNew: boolean
  time: string
}

/** A number of deals with one kind of news. The list with this filter has this many deals. */
interface NewsCount {
  name: NewsKind
  count: number
  /** True if there may be more deals than were counted. */
  isMore: boolean
  filter: DealFilter
}

/** The news since the last visit, in full days. */
export interface News {
  /** When the previous visit ended (ISO 8601), or null on the first visit. */
  lastVisit: string | null
  counts: NewsCount[]
  lines: NewsLine[]
}

/** The pages that the fields of the tenant's deals allow. */
export interface Offers {
  map: boolean
  flow: boolean
  trends: boolean
  /** True if deals name reps, whom the scorecard compares. */
  reps: boolean
  /** True if deals name reps and the viewer may see the scorecard. */
  scorecard: boolean
}

/** Deals that reached each milestone in the week of Monday `from` (such as `2026-03-02`), in UTC. */
export interface WeekCount {
  from: string
  created: number
  installed: number
  funded: number
}

export interface AttentionFigure extends Counted<AttentionName> {
  isMore: boolean
}

export interface AttentionLine {
  deal: DealLine
  name: AttentionName
  /** Days since the date of the reason, or null if there is no date. */
  days: number | null
  /** Days after the planned date or beyond the usual time. */
  daysLate: number | null
  held: DealBlocker | null
}

export const homeScopes = ['mine', 'everyone'] as const
export type HomeScope = (typeof homeScopes)[number]

export const GetHome = z.object({
  /** Null shows the viewer's own deals if any open deal names the viewer, otherwise everyone's. */
  show: z.enum(homeScopes).nullish(),
})

/** The content of Home, for the viewer's own deals or for everyone's. */
export interface Home {
  show: HomeScope
  /** True if deals name the viewer. */
  isNamed: boolean
  asOf: string | null
  /** Number of the tenant's deals. 0 if there is nothing to show yet. */
  dealCount: number
  /** True if any deal has a date that could be late. */
  hasDates: boolean
  attention: AttentionLine[]
  /** Reasons that apply to at least one deal, most urgent first. */
  reasons: AttentionFigure[]
  /** Null when viewing all partners, because visits are recorded per partner. */
  news: News | null
  /** Overdue payments, and payments expected by the end of the month. */
  payments: Pick<MoneyFigures, 'expected' | 'notExpected'>
}

/** Deals at a gate, in total and by age. */
export interface GateFigure extends Counted<Gate> {
  ages: Counted<Age>[]
}

/** Deals at a gate with the same blocker, and who may be responsible. */
export interface HoldFigure extends Counted<Blocker> {
  gate: OpenGate
  holders: ResponsibleRole[]
}

/** Deals with an expected date in a period. The first or last day is null if the period is unbounded. */
export interface ExpectedFigure extends Counted<ExpectedName> {
  certainty: Certainty
  period: Period
  from: string | null
  to: string | null
}

/** Reasons why a deal has no expected date: a missing date, an unknown gate, or on hold. */
export const notExpectedNames = [...expectedNames, 'unknown', 'onHold'] as const
export type NotExpected = (typeof notExpectedNames)[number]

export interface MoneyFigures {
  asOf: string | null
  today: string
  /** In the order in which deals pass the gates. */
  gates: GateFigure[]
  /** Blockers of at least one deal, by gate. */
  holds: HoldFigure[]
  expected: ExpectedFigure[]
  notExpected: Counted<NotExpected>[]
  /** Deals without an amount, which no sum of dollars includes. */
  unpriced: { count: number; filter: DealFilter }
  usual: Usual
}

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
  lines: NewsLine[]
  late: Counted<(typeof lateNames)[number]>[]
  holds: MoneyFigures['holds']
  /** Overdue deals, and deals expected this week and next week. */
  expected: MoneyFigures['expected']
  notExpected: MoneyFigures['notExpected']
}

export const SetDigest = z.object({ isOn: z.boolean() })
