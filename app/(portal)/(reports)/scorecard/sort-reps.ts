import type { RepFigures } from '#server/insight/reports-wire.ts'
import type { SortName } from './query.ts'

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
