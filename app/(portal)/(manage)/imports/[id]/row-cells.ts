import type { inferRouterOutputs } from '@trpc/server'
import type { Api } from '#server/api.ts'
import { faultText } from './fault-text.ts'

type Outputs = inferRouterOutputs<Api>['imports']
export type RowToCorrect = Outputs['rejectedRows']['rows'][number]
type Cell = RowToCorrect['cells'][number]
export type RowProblem = Outputs['checkCorrections'][number]

/** An editable cell with its problem. */
export interface RowCell extends Cell {
  problems: string[]
}

const concerns = ({ field }: RowProblem, cell: Cell) => field === cell.field || field === cell.title

/**
 * Returns the cells of a row with their problems, including missing ones, and the problems of the row as a
 * whole; `seen` are all problems that the row has had.
 */
export function cellsOfRow(
  { cells }: Pick<RowToCorrect, 'cells'>,
  faults: RowProblem[],
  seen: RowProblem[],
): { cells: RowCell[]; problems: string[] } {
  const lacking = [
    ...new Set(
      seen.flatMap((fault) =>
        fault.field === null || cells.some((cell) => concerns(fault, cell)) ? [] : [fault.field],
      ),
    ),
  ].map((field) => ({ title: field, field, text: '' }))
  const problemsOf = (cell: Cell) =>
    faults
      .filter((fault) => concerns(fault, cell))
      .map(({ reason }) => faultText({ field: cell.field, reason }))
  return {
    cells:
      cells.length === 0
        ? []
        : [...cells, ...lacking].map((cell) => ({ ...cell, problems: problemsOf(cell) })),
    problems: faults.filter(({ field }) => field === null || cells.length === 0).map(faultText),
  }
}

/** Returns the cells that are or were invalid; all of them if unknown. */
export function wrongCells(cells: RowCell[], seen: RowProblem[]): RowCell[] {
  const wrong = cells.filter((cell) => seen.some((fault) => concerns(fault, cell)))
  return wrong.length === 0 || seen.some(({ field }) => field === null) ? cells : wrong
}
