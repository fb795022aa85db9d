'use client'

import { useQueryStates } from 'nuqs'
import { trpc } from '#app/trpc.ts'
import { SelectField } from '#app/ui/fields.tsx'
import { QueryState } from '#app/ui/states.tsx'
import { refetchOld } from '#app/ui/times.tsx'
import type { TrendUnit } from '#server/insight/trends/wire.ts'
import { FlowHead } from '../flow-head.tsx'
import { Compared } from './compared.tsx'
import { measureNames } from './labels.ts'
import { Over } from './over.tsx'
import { type Measure, measures, trendParsers } from './query.ts'
import { SlicedTable } from './sliced-table.tsx'

/**
 * Shows created, approved, installed and funded deals over time, compared with the previous period and by
 * field.
 */
export function TrendsPage() {
  const [{ months, unit, show }, setState] = useQueryStates(trendParsers)
  const query = trpc.insight.trends.useQuery({ months, unit }, { refetchInterval: refetchOld })
  const { data, dataUpdatedAt: nowMs } = query
  return (
    <>
      <FlowHead
        title="Trends"
        tab="Trends"
        about="What was created, approved, installed and submitted for funding over time, by the dates of the deals."
        asOf={data?.asOf ?? null}
        nowMs={nowMs}
        months={months}
        onMonths={(value) => void setState({ months: value })}
      >
        <SelectField
          label="Show"
          isLabelShown={false}
          choices={measures.map((value) => ({ value, label: measureNames[value] }))}
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
