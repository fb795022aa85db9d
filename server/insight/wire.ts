import type { Deal } from '../deals/deal.ts'
import type { NewsKind } from '../search/news.ts'
import type { DealFilter, DealSort } from '../search/wire.ts'
import type { NetChange } from './news.ts'
import type { Tally } from './question.ts'

/** A number of deals. The list with this filter has exactly this many deals. */
export interface Counted<Name> extends Tally {
  name: Name
  filter: DealFilter
  sort: DealSort
}

/** The fields of a deal that are shown in a line. */
export type DealLine = Pick<
  Deal,
  'id' | 'dealname' | 'firstName' | 'lastName' | 'city' | 'state' | 'stage' | 'amount'
>

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
  /** A deal can count as several kinds of news. */
  counts: NewsCount[]
  /** The most recent moved and new deals. */
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
