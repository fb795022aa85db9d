import type { Figure } from './figures.ts'

/** A figure and what came out; undefined when it could not be measured. */
export interface Result {
  figure: Figure
  measured: number | undefined
}

/** The results for a person: name, what was measured, its target, whether that is met. */
export function formatTable(results: Result[]): string {
  const rows = results.map(({ figure, measured }) => [
    figure.name,
    measured === undefined ? 'failed' : `${format(figure, measured)} ${figure.unit}`,
    figure.target === undefined ? '' : `${figure.target.bound} ${format(figure, figure.target.value)} ${figure.unit}`,
    figure.target === undefined || measured === undefined ? ' ' : isMet(figure.target, measured) ? '✓' : '✗',
    figure.about,
  ])
  const cells = [['figure', 'measured', 'target', ' ', ''], ...rows]
  const widths = cells[0]!.map((_, column) => Math.max(...cells.map((row) => row[column]!.length)))
  return cells.map((row) => row.map((cell, column) => (column === 1 || column === 2 ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!)))
    .join('  ').trimEnd()).join('\n')
}

function isMet({ bound, value }: NonNullable<Figure['target']>, measured: number): boolean {
  return bound === '≥' ? measured >= value : bound === '≤' ? measured <= value : measured < value
}

const format = (figure: Figure, value: number) => round(figure, value).toLocaleString('en')

/** The results for a program: an object of numbers by name, null where one could not be measured. */
export function formatJson(results: Result[]): string {
  return JSON.stringify(Object.fromEntries(results.map(({ figure, measured }) => [figure.name, measured === undefined ? null : round(figure, measured)])))
}

/** As many digits as the figure is worth. */
function round({ unit }: Figure, value: number): number {
  return unit === '×' || unit === 's' ? Math.round(value * 100) / 100 : Math.round(value)
}
