import type { RoleField } from '../../deals/columns.ts'
import type { DealFilter } from '../../search/wire.ts'
import { type DayWindow, dayWindows } from '../../values/day-window.ts'
import { z } from '../../values/input.ts'

/** The roles of reps: closer, setter and account manager. */
export const repRoles = ['closerName', 'setterName', 'owner'] as const satisfies RoleField[]
export type RepRole = (typeof repRoles)[number]

/** A number of deals, and the filter of their list. */
interface Figure {
  count: number
  filter: DealFilter
}

/** The median days from sale to install, and its deals; null with fewer than five. */
interface MedianFigure extends Figure {
  median: number | null
}

/** A number of deals with their dollars. */
interface SumFigure extends Figure {
  amount: number
}

/** Figures of a rep in one role. */
export interface RepFigures {
  role: RepRole
  name: string
  /** Whether it is the viewer. */
  isMine: boolean
  open: SumFigure
  late: SumFigure
  /** Open deals that have been in their stage for more than 30 days. */
  stuck: SumFigure
  /** Funding submitted in the window. */
  funded: SumFigure
  /** Of deals installed in the last 12 months. */
  install: MedianFigure
}

/** The figures of a partner's reps, the user's own first. */
export interface Scorecard {
  /** ISO 8601: the time of the figures if they are older than the list; null if current. */
  asOf: string | null
  window: DayWindow
  /** All deals of the partner. */
  team: MedianFigure
  reps: RepFigures[]
}

export const GetScorecard = z.object({ window: z.enum(dayWindows).default('last-30-days') })
