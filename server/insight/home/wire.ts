import type { DealBlocker } from '../../deals/milestones/money.ts'
import { z } from '../../values/input.ts'
import type { MoneyFigures } from '../money/wire.ts'
import type { AttentionName } from '../question.ts'
import type { Counted, DealLine, News } from '../wire.ts'

/** A reason for attention, and the deals that have it. */
export interface AttentionFigure extends Pick<Counted<AttentionName>, 'name' | 'count' | 'filter' | 'sort'> {
  /** Whether there may be more, which are not counted. */
  isMore: boolean
}

/** A deal that needs something. */
export interface AttentionLine {
  deal: DealLine
  name: AttentionName
  /** Days since the date of the reason; null without one. */
  days: number | null
  /** Days over the date or the usual time. */
  daysLate: number | null
  /** What the deal waits for, and who is responsible. */
  held: DealBlocker | null
}

/** The deals that Home shows: the viewer's own, or everyone's. */
export const homeScopes = ['mine', 'everyone'] as const
export type HomeScope = (typeof homeScopes)[number]

export const GetHome = z.object({
  /** Null: the viewer's own deals if open deals name them, or else everyone's. */
  show: z.enum(homeScopes).nullish(),
})

/** The content of Home, for the viewer's own deals or everyone's. */
export interface Home {
  show: HomeScope
  /** Whether deals name the viewer. */
  isNamed: boolean
  /** ISO 8601: the figures are older than the list, of this time; null: they are current. */
  asOf: string | null
  /** All deals of the tenant; 0 when there is nothing to show yet. */
  dealCount: number
  /** Whether any deal has a date that could be late. */
  hasDates: boolean
  /** The deals to talk about: the most dollars for the longest time first. */
  attention: AttentionLine[]
  /** Only reasons with deals, most urgent first. */
  reasons: AttentionFigure[]
  /** Null for all partners, because visits belong to one. */
  news: News | null
  /** Payments overdue and expected until the end of the month. */
  payments: Pick<MoneyFigures, 'expected' | 'notExpected'>
}
