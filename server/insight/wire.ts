import type { Deal } from '../deals/deal.ts'
import type { DealFilter, DealSort } from '../deals/find/wire.ts'
import type { StageKind } from '../stages/stage.ts'
import type { NetChange } from './news.ts'
import type { AttentionName, FigureName, Tally } from './question.ts'

/** Some deals and the way to their list: it shows exactly as many. */
export interface Counted<Name> extends Tally {
  name: Name
  filter: DealFilter
  sort: DealSort
}

/** A stage and the deals in it; an empty text: of no stage. */
export interface StageCount extends Tally {
  stage: string
  kind: StageKind
}

/** What a line says of a deal. */
export type DealLine = Pick<
  Deal,
  'id' | 'dealname' | 'firstName' | 'lastName' | 'city' | 'state' | 'stage' | 'timeInCurrentStage' | 'amount'
>

/** A deal that is new or has changed, and when that was last, ISO 8601. */
export interface NewsLine extends NetChange {
  deal: DealLine
  isNew: boolean
  time: string
}

/** What there is news of for whoever asks. */
export interface NewsSince {
  /** ISO 8601. */
  since: string
  /** Whether that is when the visit before this one ended; otherwise there was none, and it is some days ago. */
  isVisit: boolean
  /** The sequence of the event before all of these. */
  after: number
  /** Whether there was even more, which is not counted. */
  isCut: boolean
  newCount: number
  changedCount: number
  /** The newest of them, newest first. */
  lines: NewsLine[]
}

/** How many deals reached a milestone in the week from Monday `from` (as `2026-03-02`) on, in UTC. */
export interface WeekCount {
  from: string
  created: number
  installed: number
  funded: number
}

/** Where the deals within reach stand. */
export interface Overview {
  /** All deals; 0: there is nothing to show yet. */
  dealCount: number
  figures: Counted<FigureName>[]
  /** Those with deals alone. */
  attention: Counted<AttentionName>[]
  /** In the order in which deals get there, those at the end last. */
  stages: StageCount[]
  /** Null over all partners: visits are to one. */
  news: NewsSince | null
  /** The first of the deals that wait, longest in their stage first; the filter finds all of them. */
  waiting: DealLine[]
  waitingFilter: DealFilter
  weeks: WeekCount[]
}
