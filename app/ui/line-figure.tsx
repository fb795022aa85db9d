import dynamic from 'next/dynamic'
import type { RefObject } from 'react'
import type { LineSeries, Lines } from './line-chart.tsx'

// The chart library is larger than the rest of a page; a table shows the same figures.
const LineChart = dynamic(() => import('./line-chart.tsx').then((module) => module.LineChart), {
  ssr: false,
})

/** Shows lines in their place on a page, which has the same figures as a table. */
export function LineFigure({
  chart,
  className = 'min-h-56 flex-1',
  ...lines
}: Lines & {
  /** Holds the chart, drawn as SVG. */
  chart?: RefObject<HTMLDivElement | null>
  className?: string
}) {
  return (
    <div aria-hidden="true" ref={chart} className={`relative ${className}`}>
      <div className="absolute inset-0 px-1 sm:px-2">
        <LineChart {...lines} />
      </div>
    </div>
  )
}

/** Names the lines of a chart. */
export function LineLegend({ series }: { series: readonly LineSeries[] }) {
  return (
    <ul aria-hidden="true" className="flex flex-wrap gap-x-6 gap-y-1 px-4 pb-3 text-ink-soft sm:px-5">
      {series.map((each) => (
        <li key={each.name} className="flex items-center gap-2">
          <LineSample series={each} />
          {each.label}
        </li>
      ))}
    </ul>
  )
}

/** Shows a line of a chart as a legend does. */
export function LineSample({ series: { colour, dash } }: { series: LineSeries }) {
  return (
    <svg aria-hidden="true" width="22" height="8">
      <line
        x1="2"
        x2="20"
        y1="4"
        y2="4"
        stroke={colour}
        strokeWidth="2.5"
        strokeDasharray={dash}
        strokeLinecap="round"
      />
    </svg>
  )
}
