'use client'

import { Download } from 'lucide-react'
import { byteOrderMark, csvLines } from '#server/values/csv.ts'
import type { Bars } from './bar-chart.tsx'
import { Button } from './button.tsx'
import { lazyPart } from './load-part.ts'

// The chart library is larger than the rest of a page, and a table shows the same figures.
const BarChart = lazyPart(() => import('./bar-chart.tsx').then((module) => module.BarChart))

/** Shows a bar chart. Hidden from screen readers, so the page must show the same figures as a table. */
export const BarFigure = (bars: Bars) => (
  <div aria-hidden="true" className="relative min-h-72">
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
