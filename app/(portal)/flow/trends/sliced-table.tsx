import { useQueryStates } from 'nuqs'
import { trpc } from '#app/trpc.ts'
import { type ListColumn, ListTable } from '#app/ui/list.tsx'
import { QueryState } from '#app/ui/states.tsx'
import { refetchOld } from '#app/ui/times.tsx'
import { type SlicedTrends, type TrendEvent, type Trends, trendFields } from '#server/insight/trends/wire.ts'
import { LeftOut } from '../../overview/left-out.tsx'
import { DealsLink } from '../deals-link.tsx'
import { shareText } from '../labels.ts'
import { SlicedFoot, SlicedSection, valueName } from '../sliced.tsx'
import {
  byMeasure,
  changeInPercent,
  measureNames,
  measureText,
  numberOf,
  spreadText,
  trendSeries,
  trendSliceLabels,
  trendsLeftOut,
} from './labels.ts'
import { type Measure, trendParsers } from './query.ts'

type Value = SlicedTrends['values'][number]

/** Shows a measure of an event by the values of a field, for the period and the one before it. */
export function SlicedTable({ measure, leftOut }: { measure: Measure; leftOut: Trends['leftOut'] }) {
  const [{ by, of, months }, setState] = useQueryStates(trendParsers)
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
        {(sliced) => <Values sliced={sliced} event={of} measure={measure} />}
      </QueryState>
      <LeftOut className="mt-2" parts={trendsLeftOut(leftOut, measure, [of])} />
    </SlicedSection>
  )
}

function Values({
  sliced: { slice, values: unsorted, valueCount, days },
  event,
  measure,
}: {
  sliced: SlicedTrends
  event: TrendEvent
  measure: Measure
}) {
  const values = byMeasure(unsorted, event, measure)
  const all = values.reduce((sum, { now }) => sum + (measure === 'price' ? 0 : now[event][measure]), 0)
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
    changeInPercent(numberOf(now[event], measure), numberOf(previous[event], measure))
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
      <SlicedFoot
        name={name}
        valueCount={valueCount}
        titles={columns.map(({ title }) => title)}
        rows={values.map((value) => [
          valueName(value.value),
          String(numberOf(value.now[event], measure) ?? ''),
          share(value),
          String(numberOf(value.previous[event], measure) ?? ''),
          change(value),
        ])}
      />
    </>
  )
}
