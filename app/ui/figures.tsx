'use client'

import { ChevronRight, Download } from 'lucide-react'
import dynamic from 'next/dynamic'
import type { Key, ReactNode, RefObject } from 'react'
import { byteOrderMark, csvLines } from '#server/values/csv.ts'
import type { Bars } from './bar-chart.tsx'
import { Button } from './button.tsx'
import { loadPart } from './load-part.ts'

// The chart library is larger than the rest of a page; a table shows the same figures.
const BarChart = dynamic(() => loadPart(() => import('./bar-chart.tsx')).then((module) => module.BarChart), {
  ssr: false,
})

/** Shows a bar chart on a page that has the same figures as a table; `chart` holds it, drawn as SVG. */
export const BarFigure = ({
  chart,
  className = 'min-h-72',
  ...bars
}: Bars & { chart?: RefObject<HTMLDivElement | null>; className?: string }) => (
  <div aria-hidden="true" ref={chart} className={`relative ${className}`}>
    <div className="absolute inset-0 px-1 sm:px-2">
      <BarChart {...bars} />
    </div>
  </div>
)

/** Shows the color of a series. */
export const ColorSample = ({ color }: { color: string }) => (
  <svg aria-hidden="true" width="10" height="10">
    <rect width="10" height="10" rx="2" fill={color} />
  </svg>
)

/** Shows the figures of a chart as a table, once opened: one row per day, one column per series. */
export function FigureTable<Row, Series extends { name: string; label: string }>({
  title,
  rows,
  series,
  keyOf,
  dayOf,
  cell,
  look = { summary: '', table: '' },
}: {
  /** The title of the first column. */
  title: string
  rows: Row[]
  series: readonly Series[]
  keyOf: (row: Row) => Key
  dayOf: (row: Row) => string
  cell: (row: Row, series: Series) => ReactNode
  /** Classes for its layout. */
  look?: { summary: string; table: string }
}) {
  return (
    <details className="group mt-2 border-t border-line">
      <summary
        className={`flex cursor-pointer list-none items-center gap-1.5 py-3 text-ink-soft hover:text-ink focus-visible:-outline-offset-2 [&::-webkit-details-marker]:hidden ${look.summary}`}
      >
        <ChevronRight aria-hidden="true" className="size-4 transition-transform group-open:rotate-90" />
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
                {series.map((each) => (
                  <td key={each.name} className="py-1.5 pl-4">
                    {cell(row, each)}
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

/** Offers the figures of a chart as CSV and the chart, if there is one, as PNG. */
export function ChartFiles({
  name,
  chart,
  rows,
}: {
  name: string
  /** Holds the chart, drawn as SVG. */
  chart: RefObject<HTMLElement | null> | null
  rows: string[][]
}) {
  return (
    <div className="flex gap-2 border-t border-line px-4 py-3 print:hidden sm:px-5">
      <CsvButton name={name} rows={rows} />
      {chart !== null && (
        <Button
          onClick={async () => {
            const svg = await whenDrawn(chart)
            if (svg !== null) await savePng(svg, `${name}.png`)
          }}
          about={`of ${name}`}
        >
          <Download aria-hidden="true" className="size-4" />
          PNG
        </Button>
      )}
    </div>
  )
}

/** Saves rows as a CSV file. */
export function CsvButton({ name, rows }: { name: string; rows: string[][] }) {
  return (
    <Button
      onClick={() =>
        save(new Blob([byteOrderMark, csvLines(rows)], { type: 'text/csv;charset=utf-8' }), `${name}.csv`)
      }
      className="print:hidden"
      about={`of ${name}`}
    >
      <Download aria-hidden="true" className="size-4" />
      CSV
    </Button>
  )
}

function save(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}

/** Returns the chart, which may still be loading; null if it is not there within ten seconds. */
async function whenDrawn(chart: RefObject<HTMLElement | null>): Promise<SVGSVGElement | null> {
  for (let waits = 0; waits < 100; waits++) {
    const svg = chart.current?.querySelector('svg')
    if (svg) return svg
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return null
}

const drawn = [
  'fill',
  'stroke',
  'stroke-width',
  'stroke-dasharray',
  'font-size',
  'font-family',
  'font-weight',
]

/** Draws an SVG with its colors on the page, at twice its size. */
async function savePng(svg: SVGSVGElement, name: string): Promise<void> {
  const { width, height } = svg.getBoundingClientRect()
  const copy = svg.cloneNode(true) as SVGSVGElement
  const copies = copy.querySelectorAll<SVGElement>('*')
  // An image does not have the page's styles.
  for (const [index, element] of svg.querySelectorAll('*').entries()) {
    const style = getComputedStyle(element)
    for (const property of drawn) copies[index]!.style.setProperty(property, style.getPropertyValue(property))
  }
  const image = new Image()
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(copy))}`
  await image.decode()
  const canvas = document.createElement('canvas')
  canvas.width = width * 2
  canvas.height = height * 2
  const context = canvas.getContext('2d')!
  context.scale(2, 2)
  context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--surface')
  context.fillRect(0, 0, width, height)
  context.drawImage(image, 0, 0, width, height)
  canvas.toBlob((blob) => {
    if (blob !== null) save(blob, name)
  })
}
