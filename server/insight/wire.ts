import { z } from 'zod'
import type { Deal } from '../deals/deal.ts'
import type { NewsKind } from '../deals/find/news.ts'
import type { DealFilter, DealSort } from '../deals/find/wire.ts'
import { type DayWindow, dayWindows } from '../protocol/day-window.ts'
import type { StageKind, StageTone } from '../stages/stage.ts'
import type { NetChange } from './news.ts'
import type { AttentionName, FigureName, PartName, Tally, UnclearName, UndatedName } from './question.ts'

/** A number of deals with the filter of their list, which shows exactly as many. */
export interface Counted<Name> extends Tally {
  name: Name
  filter: DealFilter
  sort: DealSort
}

/** How late the deals are that need attention for one reason. */
export interface LateBy {
  /** Days since the first of their dates; null without one. */
  days: number | null
  /** Days the first deal is late. */
  daysLate: number | null
  /** The sum of their dollars times the days by which they are late. */
  dollarDays: number
}

/** Deals that need attention, and how late they are. */
export interface AttentionFigure extends Counted<AttentionName>, LateBy {}

/** A stage and its deals; empty for deals without a stage. */
export interface StageCount extends Tally {
  stage: string
  kind: StageKind
  tone: StageTone
}

/** The fields of a deal shown in a line. */
export type DealLine = Pick<
  Deal,
  'id' | 'dealname' | 'firstName' | 'lastName' | 'city' | 'state' | 'stage' | 'timeInCurrentStage' | 'amount'
>

/** A new or updated deal, and the time of its last change, ISO 8601. */
export interface NewsLine extends NetChange {
  deal: DealLine
  isNew: boolean
  time: string
  /** The name of its closer; null when not given. */
  rep: string | null
}

/** A number of deals with news of a kind, with the filter of their list, which shows as many. */
export interface NewsCount {
  name: NewsKind
  count: number
  /** Whether there may be more, which are not counted. */
  isMore: boolean
  filter: DealFilter
}

/** The news of a window of days. */
export interface News {
  window: DayWindow
  /** When the previous visit ended, ISO 8601; null without one. */
  lastVisit: string | null
  /** A deal can be of several kinds. */
  counts: NewsCount[]
  /** The newest ones: those that moved to another stage, then the others, each by rep. */
  lines: NewsLine[]
}

export const GetOverview = z.object({
  /** The days of the news; null: those since the last visit. */
  window: z.enum(dayWindows).nullish(),
})

/** Deals that reached each milestone in the week from Monday `from` (such as `2026-03-02`), in UTC. */
export interface WeekCount {
  from: string
  created: number
  installed: number
  funded: number
}

/** The overview of the tenant's deals. */
export interface Overview {
  /** ISO 8601: the figures are older than the list, of this time; null: they are current. */
  asOf: string | null
  /** All deals; 0 when there is nothing to show yet. */
  dealCount: number
  figures: Counted<FigureName>[]
  /** The parts of the figure `installed`, which add up to it. */
  parts: Counted<PartName>[]
  /** The deals that `figures` and the sums of dollars leave out. */
  unclear: Counted<UnclearName>[]
  /** Only those with deals, the most dollars for the longest time first. */
  attention: AttentionFigure[]
  /** In the order in which deals reach them, closed ones last. */
  stages: StageCount[]
  /** Null for all partners, because visits belong to one. */
  news: News | null
  /** The first of the deals that wait, longest in their stage first; the filter finds all of them. */
  waiting: DealLine[]
  waitingFilter: DealFilter
  weeks: WeekCount[]
  /** The deals that the weeks leave out. */
  undated: Counted<UndatedName>[]
}
