import { fieldOf } from '../deals/milestone.ts'
import type { DealFilter } from '../search/wire.ts'
import { type DayWindow, dayWindows, daysOfWindow } from '../values/day-choice.ts'
import type { Tally } from '../values/units.ts'
import { addDays } from '../values/zone.ts'
import type { StepUsual } from './periods.ts'
import type { RepFigures, RepRole, Scorecard } from './reports-wire.ts'

/** Number of days in one stage after which a deal is stuck. */
const stuckAfterDays = 30

/** The median includes installs of this many past days. */
const installedWithinDays = 365

/** Counts that do not depend on the chosen window. */
export const repCounts = ['open', 'late', 'stuck'] as const
export type RepCount = (typeof repCounts)[number]

/** Returns the filters of the counts on a day such as `2026-03-01`, and of the deals in the median. */
export const repFilters = (today: string): Record<RepCount | 'installed', DealFilter> => ({
  open: { isOpen: true },
  late: { isLate: true },
  stuck: { isOpen: true, dates: { timeInCurrentStage: { to: addDays(today, -stuckAfterDays) } } },
  installed: {
    dates: {
      [fieldOf('created', 'end')]: { to: today },
      [fieldOf('install', 'end')]: { from: addDays(today, 1 - installedWithinDays), to: today },
    },
  },
})

/** Returns the filter for deals funded in a window. */
export const fundedFilter = (window: DayWindow, today: string): DealFilter => ({
  dates: { [fieldOf('funding', 'end')]: daysOfWindow(window, today) },
})

/** The figures of a rep in one role. */
export interface RepTotals {
  role: RepRole
  name: string
  counts: Record<RepCount, Tally>
  /** One entry per window, in the order of `dayWindows`. */
  funded: Tally[]
  /** Number of deals with a known time from sale to install, and the usual days. */
  install: StepUsual
}

/** The totals that the scorecard is computed from, as of a day such as `2026-03-01`. */
export interface ScorecardTotals {
  today: string
  reps: RepTotals[]
  team: StepUsual
}

/** Returns the scorecard of a window. The viewer's own names come first. */
export function scorecardOf(
  { today, reps, team }: ScorecardTotals,
  window: DayWindow,
  mine: readonly string[],
): Omit<Scorecard, 'asOf'> {
  const filters = repFilters(today)
  const figuresOf = ({ role, name, counts, funded, install }: RepTotals): RepFigures => {
    const own: DealFilter = { people: [name], roles: [role] }
    const figure = (tally: Tally, filter: DealFilter) => ({ ...tally, filter: { ...own, ...filter } })
    return {
      role,
      name,
      isMine: mine.includes(name),
      open: figure(counts.open, filters.open),
      late: figure(counts.late, filters.late),
      stuck: figure(counts.stuck, filters.stuck),
      funded: figure(funded[dayWindows.indexOf(window)]!, fundedFilter(window, today)),
      install: {
        count: install.count,
        filter: { ...own, ...filters.installed },
        median: install.usual?.median ?? null,
      },
    }
  }
  return {
    window,
    team: { count: team.count, filter: filters.installed, median: team.usual?.median ?? null },
    reps: reps.map(figuresOf).toSorted((a, b) => Number(b.isMine) - Number(a.isMine)),
  }
}
