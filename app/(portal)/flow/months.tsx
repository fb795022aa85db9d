import dynamic from 'next/dynamic'
import { useQueryStates } from 'nuqs'
import { useRef } from 'react'
import { ChartFiles } from '#app/ui/chart-files.tsx'
import { FigureTable } from '#app/ui/figure-table.tsx'
import { formatCount, formatMonth } from '#app/ui/format.ts'
import { SelectField } from '#app/ui/select-field.tsx'
import { type FlowStep, flowFields, flowSteps } from '#server/deals/milestones/flow.ts'
import type { FlowFigures, StepFigure } from '#server/insight/flow/wire.ts'
import { addDays } from '#server/protocol/zone.ts'
import { stepLabel } from '../deals/flow-labels.ts'
import { OverviewSection } from '../overview/section.tsx'
import { DealsLink } from './deals-link.tsx'
import { flowParsers } from './query.ts'
import { monthSeries } from './series.ts'

// The chart library is larger than the rest of the page; a table shows the same figures.
const MonthChart = dynamic(() => import('./month-chart.tsx').then((module) => module.MonthChart), {
  ssr: false,
})

type Month = StepFigure['months'][number]

/** Shows the days of one step by the month in which it ended. */
export function Months({ figures: { steps, period, today } }: { figures: FlowFigures }) {
  const [{ step }, setState] = useQueryStates(flowParsers)
  const chart = useRef<HTMLDivElement>(null)
  const months = steps.find((each) => each.step === step)!.months.slice(-Math.max(6, Number(period)))
  return (
    <OverviewSection
      title="By month"
      aside={
        <SelectField
          label="Step"
          isLabelShown={false}
          choices={flowSteps.map((value) => ({ value, label: stepLabel(value) }))}
          value={step}
          onChange={({ target }) => void setState({ step: target.value as FlowStep })}
        />
      }
    >
      <Legend />
      <div aria-hidden="true" ref={chart} className="relative min-h-56 flex-1">
        <div className="absolute inset-0 px-1 sm:px-2">
          <MonthChart
            months={months.map(({ from, usual }) => ({
              from,
              median: usual?.median ?? null,
              slow: usual?.slow ?? null,
            }))}
          />
        </div>
      </div>
      <MonthTable months={months} step={step} today={today} />
      <ChartFiles
        name={`${stepLabel(step)} by month`}
        chart={chart}
        rows={[
          ['Month', ...monthSeries.map(({ label }) => label)],
          ...months.map((month) => [
            month.from.slice(0, 7),
            ...monthSeries.map(({ name }) => String(valueOf(month, name) ?? '')),
          ]),
        ]}
      />
    </OverviewSection>
  )
}

/** Returns a figure of a month; undefined when it is not known. */
const valueOf = ({ count, usual }: Month, name: (typeof monthSeries)[number]['name']) =>
  name === 'count' ? count : usual?.[name]

function Legend() {
  return (
    <ul aria-hidden="true" className="flex flex-wrap gap-x-6 gap-y-1 px-4 pb-3 text-ink-soft sm:px-5">
      {monthSeries
        .filter(({ name }) => name !== 'count')
        .map(({ name, label, colour, dash }) => (
          <li key={name} className="flex items-center gap-2">
            <svg width="22" height="8">
              <line x1="2" x2="20" y1="4" y2="4" stroke={colour} strokeWidth="2.5" strokeDasharray={dash} />
            </svg>
            {label}
          </li>
        ))}
    </ul>
  )
}

/** Shows the same figures, each number of deals with its list. */
function MonthTable({ months, step, today }: { months: Month[]; step: FlowStep; today: string }) {
  const endOf = ({ from }: Month) => {
    const next = months[months.findIndex((month) => month.from === from) + 1]
    return next === undefined ? today : addDays(next.from, -1)
  }
  const filterOf = (month: Month) => ({
    took: [step],
    dates: { [flowFields[step].to]: { from: month.from, to: endOf(month) } },
  })
  return (
    <FigureTable
      title="Month"
      rows={months}
      series={monthSeries}
      keyOf={({ from }) => from}
      dayOf={({ from }) => formatMonth(from)}
      cell={(month, { name }) =>
        name === 'count' ? (
          <DealsLink count={month.count} filter={filterOf(month)}>
            {formatCount(month.count)}
          </DealsLink>
        ) : (
          (valueOf(month, name) ?? '–')
        )
      }
      look={{ summary: 'px-4 sm:px-5', table: 'overflow-x-auto px-4 pb-4 sm:px-5' }}
    />
  )
}
