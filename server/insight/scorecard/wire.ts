import type { RoleField } from '../../deals/columns.ts'
import type { DealFilter } from '../../search/wire.ts'
import { type DayWindow, dayWindows } from '../../values/day-window.ts'
import { z } from '../../values/input.ts'

/** The roles of reps: closer, setter and account manager. */
export const repRoles = ['closerName', 'setterName', 'owner'] as const satisfies RoleField[]
export type RepRole = (typeof repRoles)[number]

/** A number of deals and the filter of their list. */
interface Figure {
  count: number
  filter: DealFilter
}

/** The median days from sale to install, and its deals. Null with fewer than five deals. */
interface MedianFigure extends Figure {
  median: number | null
}

/** A number of deals and their total dollars. */
interface SumFigure extends Figure {
  amount: number
}

/** The figures of a rep in one role. */
export interface RepFigures {
  role: RepRole
  name: string
  /** True if the rep is the viewer. */
  isMine: boolean
  open: SumFigure
  late: SumFigure
  /** Open deals that have been in their stage for more than 30 days. */
  stuck: SumFigure
  /** Deals whose funding was submitted in the window. */
  funded: SumFigure
  /** Median over the deals installed in the last 12 months. */
  install: MedianFigure
}

/** The figures of a partner's reps, with the user's own figures first. */
export interface Scorecard {
  /** Time of the figures (ISO 8601) if they are older than the list, otherwise null. */
  asOf: string | null
  window: DayWindow
  /** Median over all deals of the partner. */
  team: MedianFigure
  reps: RepFigures[]
}

export const GetScorecard = z.object({ window: z.enum(dayWindows).default('last-30-days') })
