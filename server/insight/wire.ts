import type { Deal } from '../deals/deal.ts'
import type { NewsKind } from '../search/news.ts'
import type { DealFilter, DealSort } from '../search/wire.ts'
import type { NetChange } from './news.ts'
import type { Tally } from './question.ts'

/** A number of deals. The list of the filter has exactly as many deals. */
export interface Counted<Name> extends Tally {
  name: Name
  filter: DealFilter
  sort: DealSort
}

/** The fields of a deal shown in a line. */
export type DealLine = Pick<
  Deal,
  'id' | 'dealname' | 'firstName' | 'lastName' | 'city' | 'state' | 'stage' | 'amount'
>

/** A new or updated deal, and the time of its last change, ISO 8601. */
export interface NewsLine extends NetChange {
  deal: DealLine
  isNew: boolean
  time: string
}

/** A number of deals with one kind of news. The list of the filter has as many deals. */
interface NewsCount {
  name: NewsKind
  count: number
  /** Whether there may be more, which are not counted. */
  isMore: boolean
  filter: DealFilter
}

/** The news since the last visit, in whole days. */
export interface News {
  /** When the previous visit ended, ISO 8601; null without one. */
  lastVisit: string | null
  /** A deal can be of several kinds. */
  counts: NewsCount[]
  /** The newest of the moved and new deals. */
  lines: NewsLine[]
}

/** Which pages the fields of the tenant's deals allow. */
export interface Offers {
  map: boolean
  flow: boolean
  trends: boolean
  /** Whether deals name reps, whom the scorecard compares. */
  reps: boolean
  /** Whether they do, and the viewer may see it. */
  scorecard: boolean
}

/** Deals that reached each milestone in the week from Monday `from` (such as `2026-03-02`), in UTC. */
export interface WeekCount {
  from: string
  created: number
  installed: number
  funded: number
}
