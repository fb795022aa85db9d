'use client'

import { Download } from 'lucide-react'
import type { Key, ReactNode } from 'react'
import { byteOrderMark, csvLines } from '#server/values/csv.ts'
import type { Bars } from './bar-chart.tsx'
import { Button } from './button.tsx'
import { lazyPart } from './load-part.ts'

// The chart library is larger than the rest of a page, and a table shows the same figures.
const BarChart = lazyPart(() => import('./bar-chart.tsx').then((module) => module.BarChart))

/** Shows a bar chart. Hidden from screen readers, so the page must show the same figures as a table. */
export const BarFigure = ({ className = 'min-h-72', ...bars }: Bars & { className?: string }) => (
  <div aria-hidden="true" className={`relative ${className}`}>
    <div className="absolute inset-0 px-1 sm:px-2">
      <BarChart {...bars} />
    </div>
  </div>
)

export const ColorSample = ({ color }: { color: string }) => (
  <svg aria-hidden="true" width="10" height="10">
    <rect width="10" height="10" rx="2" fill={color} />
  </svg>
)

/** Shows the figures of a chart as an expandable table: one row per day, one column per series. */
export function FigureTable<Row, Series extends { name: string; label: string }>({
  title,
  rows,
  series,
  keyOf,
  dayOf,
  cell,
  look = { summary: '', table: '' },
}: {
  title: string
  rows: Row[]
  series: readonly Series[]
  keyOf: (row: Row) => Key
  dayOf: (row: Row) => string
  cell: (row: Row, series: Series) => ReactNode
  look?: { summary: string; table: string }
}) {
  return (
    <details className="mt-2 border-t border-line">
      <summary
        className={`py-3 text-ink-soft hover:text-ink focus-visible:-outline-offset-2 ${look.summary}`}
      >
        Show figures
      </summary>
      <div className={look.table}>
        <table className="w-full text-right tabular-nums">
          <thead className="text-xs text-ink-soft">
            <tr>
              <th scope="col" className="py-1.5 text-left font-medium">
                {title}
              </th>
              {series.map(({ name, label }) => (
                <th key={name} scope="col" className="py-1.5 pl-4 font-medium">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={keyOf(row)} className="border-t border-line">
                <th scope="row" className="py-1.5 text-left font-normal whitespace-nowrap">
                  {dayOf(row)}
                </th>
                {series.map((line) => (
                  <td key={line.name} className="py-1.5 pl-4">
                    {cell(row, line)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  )
}

/** A button that saves rows as a CSV file. */
export function CsvButton({ name, rows }: { name: string; rows: string[][] }) {
  return (
    <Button onClick={() => saveCsv(name, rows)} about={`of ${name}`}>
      <Download aria-hidden="true" className="size-4" />
      CSV
    </Button>
  )
}

function saveCsv(name: string, rows: string[][]): void {
  const blob = new Blob([byteOrderMark, csvLines(rows)], { type: 'text/csv;charset=utf-8' })
  const url = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = url
  link.download = `${name}.csv`
  link.click()
  URL.revokeObjectURL(url)
}
