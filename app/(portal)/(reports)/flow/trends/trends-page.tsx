'use client'

import { useQueryStates } from 'nuqs'
import { trpc } from '#app/trpc.ts'
import { SelectField } from '#app/ui/fields.tsx'
import { BarFigure, ColorSample, CsvButton } from '#app/ui/figures.tsx'
import { formatMonth } from '#app/ui/format.ts'
import { type ListColumn, ListTable } from '#app/ui/list.tsx'
import { QueryState } from '#app/ui/states.tsx'
import { refetchOld, useFormat } from '#app/ui/times.tsx'
import {
  type TrendUnit,
  type TrendEvent,
  type Trends,
  trendFields,
  type SlicedTrends,
} from '#server/insight/reports-wire.ts'
import { listHref } from '../../../deals/list-href.ts'
import { PageSection, LeftOut, DealsLink } from '../../../home/section.tsx'
import { FlowHead, MoreValues, SlicedSection, choicesOf, valueName, shareText } from '../flow-parts.tsx'
import { type Measure, trendsQuery } from '../query.ts'
import {
  measureNames,
  measureText,
  numberOf,
  spreadText,
  trendSeries,
  trendsLeftOut,
  byMeasure,
  changeInPercent,
  trendSliceLabels,
} from './labels.ts'

/**
 * Shows how many deals were created, approved, installed and funded over time, compared with the previous
 * period and broken down by field.
 */
export function TrendsPage() {
  const [{ months, unit, show }, setState] = useQueryStates(trendsQuery.parsers)
  const query = trpc.insight.trends.useQuery({ months, unit }, { refetchInterval: refetchOld })
  const { data, dataUpdatedAt: nowMs } = query
  return (
    <>
      <FlowHead
        title="Trends"
        about="Deals created, approved, installed and submitted for funding over time."
        asOf={data?.asOf ?? null}
        nowMs={nowMs}
        months={months}
        onMonths={(value) => void setState({ months: value })}
      >
        <SelectField
          label="Show"
          isLabelShown={false}
          choices={choicesOf(measureNames)}
          value={show}
          onChange={({ target }) => void setState({ show: target.value as Measure })}
        />
        <SelectField
          label="By"
          isLabelShown={false}
          choices={[
            { value: 'month', label: 'By month' },
            { value: 'week', label: 'By week' },
          ]}
          value={unit}
          onChange={({ target }) => void setState({ unit: target.value as TrendUnit })}
        />
      </FlowHead>
      <QueryState what="trends" query={query} data={data}>
        {(trends) => (
          <div className="flex flex-col gap-5">
            <Compared trends={trends} measure={show} />
            <Over trends={trends} measure={show} unit={unit} nowMs={nowMs} />
            <SlicedTable measure={show} leftOut={trends.leftOut} />
          </div>
        )}
      </QueryState>
    </>
  )
}

const filterOf = ({ from, to }: { from: string; to: string }, event: TrendEvent) => ({
  dates: { [trendFields[event]]: { from, to } },
})

/** Shows a measure by week or month, as a bar chart and as a table. */
function Over({
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
  const dayOf = (day: string) => (unit === 'month' ? formatMonth(day) : formatDay(`${day}T00:00:00Z`, nowMs))
  const title = unit === 'month' ? 'Month' : 'Week of'
  return (
    <PageSection title={`${measureNames[measure]} by ${unit}`}>
      <ul aria-hidden="true" className="flex flex-wrap gap-x-6 gap-y-1 px-4 pb-3 text-ink-soft sm:px-5">
        {trendSeries.map(({ name, label, color }) => (
          <li key={name} className="flex items-center gap-2">
            <ColorSample color={color} />
            {label}
          </li>
        ))}
      </ul>
      <BarFigure
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
      <div className="border-t border-line px-4 py-3 print:hidden sm:px-5">
        <CsvButton
          name={`${measureNames[measure]} by ${unit}`}
          rows={[
            [title, ...trendSeries.map(({ label }) => label)],
            ...spans.map(({ from, events }) => [
              from,
              ...trendSeries.map(({ name }) => String(numberOf(events[name], measure) ?? '')),
            ]),
          ]}
        />
      </div>
    </PageSection>
  )
}

/** Shows the chart's figures as a table with links to the deals. */
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
    <details className="mt-2 border-t border-line">
      <summary className="px-4 py-3 text-ink-soft hover:text-ink focus-visible:-outline-offset-2 sm:px-5">
        Show figures
      </summary>
      <div className="overflow-x-auto px-4 pb-4 sm:px-5">
        <table className="w-full text-right tabular-nums">
          <thead className="text-xs text-ink-soft">
            <tr>
              <th scope="col" className="py-1.5 text-left font-medium">
                {title}
              </th>
              {trendSeries.map(({ name, label }) => (
                <th key={name} scope="col" className="py-1.5 pl-4 font-medium">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {spans.map(({ from, to, events }) => (
              <tr key={from} className="border-t border-line">
                <th scope="row" className="py-1.5 text-left font-normal whitespace-nowrap">
                  {dayOf(from)}
                </th>
                {trendSeries.map(({ name }) => (
                  <td key={name} className="py-1.5 pl-4">
                    <DealsLink count={events[name].count} filter={filterOf({ from, to }, name)}>
                      {measureText(numberOf(events[name], measure), measure)}
                    </DealsLink>
                    {measure === 'price' && (
                      <span className="block text-ink-soft">{spreadText(events[name])}</span>
                    )}
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

type Value = SlicedTrends['values'][number]

/** Shows a measure for each value of a field, in this period and the previous one. */
function SlicedTable({ measure, leftOut }: { measure: Measure; leftOut: Trends['leftOut'] }) {
  const [{ by, of, months }, setState] = useQueryStates(trendsQuery.parsers)
  const query = trpc.insight.slicedTrends.useQuery({ months, slice: by }, { refetchInterval: refetchOld })
  return (
    <SlicedSection
      labels={trendSliceLabels}
      by={by}
      onBy={(name) => void setState({ by: name })}
      other={{
        label: 'Milestone',
        choices: trendSeries.map(({ name, label }) => ({ value: name, label })),
        value: of,
        onChange: (event) => void setState({ of: event }),
      }}
    >
      <QueryState what="slices" query={query} data={query.data}>
        {(sliced) => <Values sliced={sliced} event={of} measure={measure} undated={leftOut[of].count} />}
      </QueryState>
      <LeftOut className="mt-2" parts={trendsLeftOut(leftOut, measure, [of])} />
    </SlicedSection>
  )
}

function Values({
  sliced: { slice, values: unsorted, valueCount, days },
  event,
  measure,
  undated,
}: {
  sliced: SlicedTrends
  event: TrendEvent
  measure: Measure
  /** Number of deals without a date for the event. */
  undated: number
}) {
  const values = byMeasure(unsorted, event, measure)
  const all = values.reduce((sum, { now }) => sum + (measure === 'price' ? 0 : now[event][measure]), 0)
  const dated = values.reduce((sum, { now, previous }) => sum + now[event].count + previous[event].count, 0)
  const link = (value: Value, which: 'now' | 'previous', text: string) => (
    <DealsLink
      count={value[which][event].count}
      filter={{ ...value.filter, dates: { [trendFields[event]]: days[which] } }}
    >
      {text}
    </DealsLink>
  )
  const figure = (value: Value, which: 'now' | 'previous') =>
    link(value, which, measureText(numberOf(value[which][event], measure), measure))
  const change = ({ now, previous }: Value) =>
    undated > dated ? '' : changeInPercent({ now: now[event], previous: previous[event] }, measure)
  const share = ({ now }: Value) =>
    measure === 'price' ? spreadText(now[event]) : shareText(now[event][measure], all)
  const name = `${measureNames[measure]} by ${trendSliceLabels[slice].toLowerCase()}`
  const columns: ListColumn<Value>[] = [
    { title: trendSliceLabels[slice], cell: ({ value }) => valueName(value) },
    { title: measureNames[measure], isNumber: true, cell: (value) => figure(value, 'now') },
    {
      title: measure === 'price' ? '3 of 5 between' : 'Share',
      isNumber: true,
      cell: (value) => share(value) && link(value, 'now', share(value)),
    },
    { title: 'Previous period', isNumber: true, cell: (value) => figure(value, 'previous') },
    { title: 'Change', isNumber: true, cell: change },
  ]
  return (
    <>
      <ListTable label={name} columns={columns} rows={values} keyOf={({ value }) => value} />
      <MoreValues shown={values.length} all={valueCount} />
    </>
  )
}

/** Shows the figures of a period next to those of the previous period. */
function Compared({
  trends: { now, previous, days, leftOut },
  measure,
}: {
  trends: Trends
  measure: Measure
}) {
  return (
    <ul className="grid grid-cols-2 gap-px overflow-clip rounded-xl border border-line bg-line sm:grid-cols-4">
      {trendSeries.map(({ name, label }) => {
        const [value, before] = [numberOf(now[name], measure), numberOf(previous[name], measure)]
        const dates = (span: typeof days.now) => ({ dates: { [trendFields[name]]: span } })
        return (
          <li key={name} className="bg-surface px-4 py-4 tabular-nums sm:px-5">
            <p className="text-ink-soft">{label}</p>
            <p className="mt-1 text-2xl font-semibold tracking-tight">
              <DealsLink count={now[name].count} filter={dates(days.now)}>
                {measureText(value, measure, true)}
              </DealsLink>
            </p>
            {measure === 'price' && <p className="text-ink-soft">{spreadText(now[name])}</p>}
            <p className="text-ink-soft">
              <span className="font-medium text-ink">
                {changeInPercent({ now: now[name], previous: previous[name] }, measure, leftOut[name].count)}
              </span>{' '}
              from{' '}
              <DealsLink count={previous[name].count} filter={dates(days.previous)}>
                {measureText(before, measure, true)}
              </DealsLink>
            </p>
          </li>
        )
      })}
    </ul>
  )
}
