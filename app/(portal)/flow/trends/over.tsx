import { useRef } from 'react'
import { ChartFiles, FigureTable, LineFigure, LineLegend } from '#app/ui/figures.tsx'
import { formatMonth } from '#app/ui/format.ts'
import { useFormat } from '#app/ui/times.tsx'
import { type TrendEvent, type TrendUnit, type Trends, trendFields } from '#server/insight/trends/wire.ts'
import { LeftOut } from '../../overview/left-out.tsx'
import { listHref } from '../../overview/list-href.ts'
import { OverviewSection } from '../../overview/section.tsx'
import { DealsLink } from '../deals-link.tsx'
import { measureNames, measureText, numberOf, spreadText, trendSeries, trendsLeftOut } from './labels.ts'
import type { Measure } from './query.ts'

const filterOf = ({ from, to }: { from: string; to: string }, event: TrendEvent) => ({
  dates: { [trendFields[event]]: { from, to } },
})

/** Shows a measure by week or month, as lines and as a table. */
export function Over({
  trends: { spans, leftOut },
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
      <LineLegend series={trendSeries} />
      <LineFigure
        chart={chart}
        className="min-h-72"
        points={spans.map(({ from, events }) => ({
          from,
          ...Object.fromEntries(trendSeries.map(({ name }) => [name, numberOf(events[name], measure)])),
        }))}
        series={trendSeries}
        dayOf={dayOf}
        unfinished={unit === 'month' ? 'This month' : 'This week'}
        format={(value) => measureText(value, measure, true)}
        hrefOf={(day, name) =>
          listHref(
            filterOf(
              spans.find(({ from }) => from === day)!,
              name as TrendEvent,
            ),
          )
        }
      />
      <SpanTable title={title} spans={spans} measure={measure} dayOf={dayOf} />
      <LeftOut className="px-4 pb-4 sm:px-5" parts={trendsLeftOut(leftOut, measure)} />
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

/** Shows the same figures, each of which leads to its deals. */
function SpanTable({
  title,
  spans,
  measure,
  dayOf,
}: {
  title: string
  spans: Trends['spans']
  measure: Measure
  dayOf: (day: string) => string
}) {
  return (
    <FigureTable
      title={title}
      rows={spans}
      series={trendSeries}
      keyOf={({ from }) => from}
      dayOf={({ from }) => dayOf(from)}
      cell={({ from, to, events }, { name }) => (
        <>
          <DealsLink count={events[name].count} filter={filterOf({ from, to }, name)}>
            {measureText(numberOf(events[name], measure), measure)}
          </DealsLink>
          {measure === 'price' && <span className="block text-ink-soft">{spreadText(events[name])}</span>}
        </>
      )}
      look={{ summary: 'px-4 sm:px-5', table: 'overflow-x-auto px-4 pb-4 sm:px-5' }}
    />
  )
}
