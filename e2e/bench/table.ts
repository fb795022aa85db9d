import { type Checked, isWithinBound } from './check.ts'
import type { Figure, Result, Target } from './figures.ts'

/** Returns the results as text: name, value, target, and whether it is met. */
export function formatTable(results: Result[]): string {
  const rows = results.map(({ figure, measured }) => [
    figure.name,
    measured === undefined ? 'failed' : `${format(figure, measured)} ${figure.unit}`,
    figure.target === undefined
      ? ''
      : `${figure.target.bound} ${format(figure, figure.target.value)} ${figure.unit}`,
    figure.target === undefined || measured === undefined ? ' ' : mark(figure.target, measured),
    figure.about,
  ])
  return align([['figure', 'measured', 'target', ' ', ''], ...rows])
}

/** Returns the results of a check as text: name, value, bound here and now, and whether it is met. */
export function formatChecked(results: Checked[]): string {
  return align([
    ['figure', 'measured', 'bound', ' ', ''],
    ...results.map((checked) => {
      const { figure, measured, bound } = checked
      return [
        figure.name,
        measured === undefined ? 'failed' : `${format(figure, measured)} ${figure.unit}`,
        `${bound.kind} ${format(figure, bound.value)} ${figure.unit}`,
        isWithinBound(checked) ? '✓' : '✗',
        figure.about,
      ]
    }),
  ])
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

const isWithin: Record<Target['bound'], (measured: number, value: number) => boolean> = {
  '≥': (measured, value) => measured >= value,
  '≤': (measured, value) => measured <= value,
  '<': (measured, value) => measured < value,
}

const mark = ({ bound, value }: Target, measured: number) => (isWithin[bound](measured, value) ? '✓' : '✗')

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
