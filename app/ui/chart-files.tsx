'use client'

import { Download } from 'lucide-react'
import type { RefObject } from 'react'
import { byteOrderMark, csvLines } from '#server/protocol/csv.ts'
import { button } from './button.ts'

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
        <button
          type="button"
          className={button.plain}
          onClick={() => {
            const svg = chart.current?.querySelector('svg')
            if (svg) void savePng(svg, `${name}.png`)
          }}
        >
          <Download aria-hidden="true" className="size-4" />
          PNG<span className="sr-only"> of {name}</span>
        </button>
      )}
    </div>
  )
}

/** Saves rows as a CSV file. */
export function CsvButton({ name, rows }: { name: string; rows: string[][] }) {
  return (
    <button
      type="button"
      className={`${button.plain} print:hidden`}
      onClick={() =>
        save(new Blob([byteOrderMark, csvLines(rows)], { type: 'text/csv;charset=utf-8' }), `${name}.csv`)
      }
    >
      <Download aria-hidden="true" className="size-4" />
      CSV<span className="sr-only"> of {name}</span>
    </button>
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

const drawn = [
  'fill',
  'stroke',
  'stroke-width',
  'stroke-dasharray',
  'font-size',
  'font-family',
  'font-weight',
]

/** Draws an SVG with the colours that it has on the page, at twice its size. */
async function savePng(svg: SVGSVGElement, name: string): Promise<void> {
  const { width, height } = svg.getBoundingClientRect()
  const copy = svg.cloneNode(true) as SVGSVGElement
  const copies = copy.querySelectorAll<SVGElement>('*')
  // A picture knows nothing of the page's styles.
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
