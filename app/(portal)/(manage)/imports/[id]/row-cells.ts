import type { Outputs } from '#app/trpc.ts'
import type { DealField } from '#server/deals/deal.ts'
import { fieldLabels } from '../../../deals/fields.ts'

export type RowToCorrect = Outputs['imports']['rejectedRows']['rows'][number]
type Cell = RowToCorrect['cells'][number]
export type RowProblem = Outputs['imports']['checkCorrections'][number]

export interface RowCell extends Cell {
  problems: string[]
}

const concerns = ({ field }: RowProblem, cell: Cell) => field === cell.field || field === cell.title

/**
 * Returns the cells of a row with their problems, including missing cells, and the problems of the row as a
 * whole. `seen` contains all problems that the row has had so far.
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

/** Returns the cells that have or had a problem, or all cells if no problem is tied to a cell. */
export function wrongCells(cells: RowCell[], seen: RowProblem[]): RowCell[] {
  const wrong = cells.filter((cell) => seen.some((fault) => concerns(fault, cell)))
  return wrong.length === 0 || seen.some(({ field }) => field === null) ? cells : wrong
}

/** Describes a row's problem, such as `Amount “abc” is not a number; use one such as 30800.50`. */
export function faultText({
  field,
  title,
  reason,
}: {
  field: string | null
  title?: string
  reason: string
}) {
  if (field !== null) return `${title || fieldLabel(field)} ${reason}`
  return reason.charAt(0).toUpperCase() + reason.slice(1)
}

const otherLabels: Record<string, string> = {
  partner: 'Partner (slug)',
  fullAddress: 'Street, city, state and ZIP code',
  cityStateZip: 'City, state and ZIP code',
  latitude: 'Latitude',
  longitude: 'Longitude',
}

/** Returns the label of a column's field. For a person's field, the label includes the role. */
export function fieldLabel(field: string): string {
  const [name, inner] = field.split('.') as [string, string | undefined]
  if (Object.hasOwn(otherLabels, field)) return otherLabels[field]!
  const label = Object.hasOwn(fieldLabels, name) ? fieldLabels[name as DealField].label : name
  return `${label}${inner === undefined ? '' : `: ${inner}`}`
}
