import { parseAsBoolean, parseAsStringLiteral } from 'nuqs/server'
import { type PageState, pageQuery } from '#app/page-query.ts'
import { type RepFigures, repRoles } from '#server/insight/reports-wire.ts'
import { dayWindows } from '#server/values/day-choice.ts'

/** Query parameters of the scorecard. `window` is the time window of the column of submitted deals. */
export const scorecardQuery = pageQuery('/scorecard', {
  role: parseAsStringLiteral(repRoles).withDefault('closerName'),
  window: parseAsStringLiteral(dayWindows).withDefault('last-30-days'),
  sort: parseAsStringLiteral(['open', 'late', 'stuck', 'funded', 'install']).withDefault('open'),
  ascending: parseAsBoolean.withDefault(false),
})

export type SortName = PageState<typeof scorecardQuery>['sort']

const valueOf = (rep: RepFigures, sort: SortName) =>
  sort === 'install' ? rep.install.median : rep[sort].count

/** Sorts reps by a figure. The viewer comes first and reps without the figure last. */
export const sortReps = (reps: readonly RepFigures[], sort: SortName, isAscending: boolean): RepFigures[] =>
  reps.toSorted((a, b) => {
    const [x, y] = [valueOf(a, sort), valueOf(b, sort)]
    const byFigure = x === null || y === null ? Number(x === null) - Number(y === null) : y - x
    return (
      Number(b.isMine) - Number(a.isMine) ||
      (x === null || y === null || !isAscending ? byFigure : -byFigure) ||
      a.name.localeCompare(b.name)
    )
  })
