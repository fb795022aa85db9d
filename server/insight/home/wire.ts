import type { DealBlocker } from '../../deals/milestones/money.ts'
import { z } from '../../values/input.ts'
import type { MoneyFigures } from '../money/wire.ts'
import type { AttentionName } from '../question.ts'
import type { Counted, DealLine, News } from '../wire.ts'

/** A reason for attention, and the number of deals with this reason. */
export interface AttentionFigure extends Pick<Counted<AttentionName>, 'name' | 'count' | 'filter' | 'sort'> {
  /** True if there may be more deals than were counted. */
  isMore: boolean
}

/** A deal that needs attention. */
export interface AttentionLine {
  deal: DealLine
  name: AttentionName
  /** Days since the date of the reason, or null if there is no date. */
  days: number | null
  /** Days after the planned date or beyond the usual time. */
  daysLate: number | null
  /** What blocks the deal, and who is responsible. */
  held: DealBlocker | null
}

/** The deals that Home covers: the viewer's own, or everyone's. */
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
  /** Time of the figures (ISO 8601) if they are older than the list, otherwise null. */
  asOf: string | null
  /** Number of the tenant's deals. 0 if there is nothing to show yet. */
  dealCount: number
  /** True if any deal has a date that could be late. */
  hasDates: boolean
  /** Deals that need attention, sorted by dollars times days late. */
  attention: AttentionLine[]
  /** Reasons that apply to at least one deal, most urgent first. */
  reasons: AttentionFigure[]
  /** Null when viewing all partners, because visits are recorded per partner. */
  news: News | null
  /** Overdue payments, and payments expected by the end of the month. */
  payments: Pick<MoneyFigures, 'expected' | 'notExpected'>
}
