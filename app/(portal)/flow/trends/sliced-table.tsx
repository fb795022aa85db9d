import { useQueryStates } from 'nuqs'
import { trpc } from '#app/trpc.ts'
import { refetchOld } from '#app/ui/as-of.tsx'
import { CsvButton } from '#app/ui/chart-files.tsx'
import { formatCount } from '#app/ui/format.ts'
import { type ListColumn, ListTable } from '#app/ui/list-table.tsx'
import { QueryState } from '#app/ui/query-state.tsx'
import { SelectField } from '#app/ui/select-field.tsx'
import {
  type SlicedTrends,
  type TrendEvent,
  type TrendSlice,
  trendFields,
  trendSlices,
} from '#server/insight/trends/wire.ts'
import { DealsLink } from '../deals-link.tsx'
import { shareText } from '../labels.ts'
import {
  changeInPercent,
  measureNames,
  measureText,
  numberOf,
  spreadText,
  trendSeries,
  trendSliceLabels,
} from './labels.ts'
import { type Measure, trendParsers } from './query.ts'

type Value = SlicedTrends['values'][number]

const nameOf = ({ value }: Value) => (value === '' ? 'Not given' : value)

/** Shows a measure of an event by the values of a field, for the period and the one before it. */
export function SlicedTable({ measure }: { measure: Measure }) {
  const [{ by, of, months }, setState] = useQueryStates(trendParsers)
  const query = trpc.insight.slicedTrends.useQuery({ months, slice: by }, { refetchInterval: refetchOld })
  return (
    <section aria-labelledby="trend-slices" className="min-w-0">
      <div className="mb-3 flex flex-wrap items-center gap-3">
        <h2 id="trend-slices" className="mr-auto font-semibold">
          By {trendSliceLabels[by].toLowerCase()}
        </h2>
        <SelectField
          label="Slice by"
          isLabelShown={false}
          choices={trendSlices.map((value) => ({ value, label: trendSliceLabels[value] }))}
          value={by}
          onChange={({ target }) => void setState({ by: target.value as TrendSlice })}
        />
        <SelectField
          label="Milestone"
          isLabelShown={false}
          choices={trendSeries.map(({ name, label }) => ({ value: name, label }))}
          value={of}
          onChange={({ target }) => void setState({ of: target.value as TrendEvent })}
        />
      </div>
      <QueryState what="slices" query={query} data={query.data}>
        {(sliced) => <Values sliced={sliced} event={of} measure={measure} />}
      </QueryState>
    </section>
  )
}

function Values({
  sliced: { slice, values, valueCount, days },
  event,
  measure,
}: {
  sliced: SlicedTrends
  event: TrendEvent
  measure: Measure
}) {
  const all = values.reduce((sum, { now }) => sum + (measure === 'price' ? 0 : now[event][measure]), 0)
  const figure = (value: Value, which: 'now' | 'previous') => (
    <DealsLink
      count={value[which][event].count}
      filter={{ ...value.filter, dates: { [trendFields[event]]: days[which] } }}
    >
      {measureText(numberOf(value[which][event], measure), measure)}
    </DealsLink>
  )
  const change = ({ now, previous }: Value) =>
    changeInPercent(numberOf(now[event], measure), numberOf(previous[event], measure))
  const share = ({ now }: Value) =>
    measure === 'price' ? spreadText(now[event]) : shareText(now[event][measure], all)
  const columns: ListColumn<Value>[] = [
    { title: trendSliceLabels[slice], cell: nameOf },
    { title: measureNames[measure], isNumber: true, cell: (value) => figure(value, 'now') },
    { title: measure === 'price' ? '3 of 5 between' : 'Share', isNumber: true, cell: share },
    { title: 'Previous period', isNumber: true, cell: (value) => figure(value, 'previous') },
    { title: 'Change', isNumber: true, cell: change },
  ]
  return (
    <>
      <ListTable
        label={`${measureNames[measure]} by ${trendSliceLabels[slice].toLowerCase()}`}
        columns={columns}
        rows={values}
        keyOf={({ value }) => value}
      />
      <div className="mt-2 flex flex-wrap items-center gap-x-4 gap-y-2 text-ink-soft">
        {valueCount > values.length && (
          <p>
            The {values.length} most frequent of {formatCount(valueCount)}.
          </p>
        )}
        <CsvButton
          name={`${measureNames[measure]} by ${trendSliceLabels[slice].toLowerCase()}`}
          rows={[
            columns.map(({ title }) => title),
            ...values.map((value) => [
              nameOf(value),
              String(numberOf(value.now[event], measure) ?? ''),
              share(value),
              String(numberOf(value.previous[event], measure) ?? ''),
              change(value),
            ]),
          ]}
        />
      </div>
    </>
  )
}
