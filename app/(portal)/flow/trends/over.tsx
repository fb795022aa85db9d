import dynamic from 'next/dynamic'
import { useRef } from 'react'
import { ChartFiles } from '#app/ui/chart-files.tsx'
import { FigureTable } from '#app/ui/figure-table.tsx'
import { formatMonth } from '#app/ui/format.ts'
import { useFormat } from '#app/ui/zone.tsx'
import { type TrendUnit, type Trends, trendFields } from '#server/insight/trends/wire.ts'
import { OverviewSection } from '../../overview/section.tsx'
import { DealsLink } from '../deals-link.tsx'
import { measureNames, measureText, numberOf, spreadText, trendSeries } from './labels.ts'
import type { Measure } from './query.ts'

// The chart library is larger than the rest of the page; a table shows the same figures.
const TrendLines = dynamic(() => import('./trend-lines.tsx').then((module) => module.TrendLines), {
  ssr: false,
})

/** Shows a measure by week or month, as lines and as a table. */
export function Over({
  trends: { spans },
  measure,
  unit,
  nowMs,
}: {
  trends: Trends
  measure: Measure
  unit: TrendUnit
  nowMs: number
}) {
  const { formatDay } = useFormat()
  const chart = useRef<HTMLDivElement>(null)
  const dayOf = (day: string) => (unit === 'month' ? formatMonth(day) : formatDay(`${day}T00:00:00Z`, nowMs))
  const title = unit === 'month' ? 'Month' : 'Week of'
  return (
    <OverviewSection title={`${measureNames[measure]} by ${unit}`}>
      <Legend />
      <div aria-hidden="true" ref={chart} className="relative min-h-72">
        <div className="absolute inset-0 px-1 sm:px-2">
          <TrendLines
            points={spans.map(({ from, events }) => ({
              from,
              ...Object.fromEntries(trendSeries.map(({ name }) => [name, numberOf(events[name], measure)])),
            }))}
            dayOf={dayOf}
            format={(value) => measureText(value, measure, true)}
          />
        </div>
      </div>
      <FigureTable
        title={title}
        rows={spans}
        series={trendSeries}
        keyOf={({ from }) => from}
        dayOf={({ from }) => dayOf(from)}
        cell={({ from, to, events }, { name }) => (
          <>
            <DealsLink count={events[name].count} filter={{ dates: { [trendFields[name]]: { from, to } } }}>
              {measureText(numberOf(events[name], measure), measure)}
            </DealsLink>
            {measure === 'price' && <span className="block text-ink-soft">{spreadText(events[name])}</span>}
          </>
        )}
        look={{ summary: 'px-4 sm:px-5', table: 'overflow-x-auto px-4 pb-4 sm:px-5' }}
      />
      <ChartFiles
        name={`${measureNames[measure]} by ${unit}`}
        chart={chart}
        rows={[
          [title, ...trendSeries.map(({ label }) => label)],
          ...spans.map(({ from, events }) => [
            from,
            ...trendSeries.map(({ name }) => String(numberOf(events[name], measure) ?? '')),
          ]),
        ]}
      />
    </OverviewSection>
  )
}

function Legend() {
  return (
    <ul aria-hidden="true" className="flex flex-wrap gap-x-6 gap-y-1 px-4 pb-3 text-ink-soft sm:px-5">
      {trendSeries.map(({ name, label, colour, dash }) => (
        <li key={name} className="flex items-center gap-2">
          <svg width="22" height="8">
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
          {label}
        </li>
      ))}
    </ul>
  )
}
