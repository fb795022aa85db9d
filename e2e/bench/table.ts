import type { Bound, Figure, Result } from './figures.ts'

/** Returns a row for each figure: name, value, bound, whether it is met, and what it is. */
export function formatTable(results: Result[]): string {
  const rows = results.map((result) => {
    const { figure, measured, bound } = result
    const isMet = isWithinBound(result) ? '✓' : '✗'
    return [
      figure.name,
      measured === undefined ? 'failed' : `${format(figure, measured)} ${figure.unit}`,
      bound === undefined ? '' : `${bound.kind} ${format(figure, bound.value)} ${figure.unit}`,
      bound === undefined ? ' ' : isMet,
      figure.about,
    ]
  })
  return align([['figure', 'measured', 'bound', ' ', ''], ...rows])
}

/** Formats cells as columns, with numbers right-aligned. */
function align(cells: string[][]): string {
  const widths = cells[0]!.map((_, column) => Math.max(...cells.map((row) => row[column]!.length)))
  return cells
    .map((row) =>
      row
        .map((cell, column) =>
          column === 1 || column === 2 ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Returns the total time, and the slowest figures. */
export function formatDurations(results: Result[]): string {
  const total = results.reduce((sum, { seconds }) => sum + seconds, 0)
  const longest = results.toSorted((a, b) => b.seconds - a.seconds).slice(0, 5)
  return `Took ${Math.round(total)} s; longest: ${longest.map(({ figure, seconds }) => `${figure.name} ${Math.round(seconds)} s`).join(', ')}`
}

const isWithin: Record<Bound['kind'], (measured: number, value: number) => boolean> = {
  '≥': (measured, value) => measured >= value,
  '≤': (measured, value) => measured <= value,
}

/** Returns true if a figure was measured and does not exceed its bound. */
export const isWithinBound = ({ measured, bound }: Result) =>
  measured !== undefined && (bound === undefined || isWithin[bound.kind](measured, bound.value))

const format = (figure: Figure, value: number) => round(figure, value).toLocaleString('en')

/** Returns the results as JSON: numbers by name, null for failed measurements. */
export function formatJson(results: Result[]): string {
  return JSON.stringify(
    Object.fromEntries(
      results.map(({ figure, measured }) => [
        figure.name,
        measured === undefined ? null : round(figure, measured),
      ]),
    ),
  )
}

/** As many digits as are significant. */
function round({ unit }: Figure, value: number): number {
  return unit === '×' || unit === 's' ? Math.round(value * 100) / 100 : Math.round(value)
}
