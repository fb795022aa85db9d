import { useQueryStates } from 'nuqs'
import { type RefObject, useRef } from 'react'
import { SelectField } from '#app/ui/fields.tsx'
import { ChartFiles, FigureTable, LineFigure, LineLegend } from '#app/ui/figures.tsx'
import { formatCount, formatMonth } from '#app/ui/format.ts'
import type { DealFilter } from '#server/deals/find/wire.ts'
import { type FlowStep, flowFields, flowSteps } from '#server/deals/milestones/flow.ts'
import { stepLabels } from '#server/deals/milestones/labels.ts'
import type { FlowFigures, StepFigure } from '#server/insight/flow/wire.ts'
import { addDays } from '#server/protocol/zone.ts'
import { listHref } from '../../home/list-href.ts'
import { PageSection, DealsLink } from '../../home/section.tsx'
import { flowParsers } from './query.ts'

type Month = StepFigure['months'][number]

/** The figures of a step by month. `dash` distinguishes the lines without color. */
const monthSeries = [
  { name: 'median', label: 'Median days', color: 'var(--teal)', dash: undefined },
  { name: 'slow', label: '80% within', color: 'var(--info)', dash: '5 5' },
  { name: 'count', label: 'Deals', color: 'var(--control)', dash: undefined },
] as const

/** The figures in days. */
const lines = monthSeries.filter(({ name }) => name !== 'count')

/** Shows the days of one step by the month of its end. */
export function Months({ figures: { steps, period, today } }: { figures: FlowFigures }) {
  const [{ step }, setState] = useQueryStates(flowParsers)
  const chart = useRef<HTMLDivElement>(null)
  const months = steps.find((each) => each.step === step)!.months.slice(-Math.max(6, Number(period)))
  const isEmpty = months.every(({ usual }) => usual === null)
  const endOf = (day: string) => {
    const next = months[months.findIndex(({ from }) => from === day) + 1]
    return next === undefined ? today : addDays(next.from, -1)
  }
  const filterOf = (day: string) => ({
    took: [step],
    dates: { [flowFields[step].to]: { from: day, to: endOf(day) } },
  })
  return (
    <PageSection
      title="By month"
      aside={
        <SelectField
          label="Step"
          isLabelShown={false}
          choices={flowSteps.map((value) => ({ value, label: stepLabels[value] }))}
          value={step}
          onChange={({ target }) => void setState({ step: target.value as FlowStep })}
        />
      }
    >
      {isEmpty ? (
        <p className="m-auto px-6 py-16 text-center text-ink-soft">Too few deals in each month.</p>
      ) : (
        <MonthChart chart={chart} months={months} hrefOf={(day) => listHref(filterOf(day))} />
      )}
      <MonthTable months={months} filterOf={filterOf} />
      <ChartFiles
        name={`${stepLabels[step]} by month`}
        chart={isEmpty ? null : chart}
        rows={[
          ['Month', ...monthSeries.map(({ label }) => label)],
          ...months.map((month) => [
            month.from.slice(0, 7),
            ...monthSeries.map(({ name }) => String(valueOf(month, name) ?? '')),
          ]),
        ]}
      />
    </PageSection>
  )
}

/** Draws the days of a step by month. */
function MonthChart({
  chart,
  months,
  hrefOf,
}: {
  chart: RefObject<HTMLDivElement | null>
  months: Month[]
  hrefOf: (day: string) => string
}) {
  return (
    <>
      <LineLegend series={lines} />
      <LineFigure
        chart={chart}
        points={months.map(({ from, usual }) => ({
          from,
          median: usual?.median ?? null,
          slow: usual?.slow ?? null,
        }))}
        series={lines}
        dayOf={formatMonth}
        unfinished="This month"
        hasDots
        hrefOf={hrefOf}
      />
    </>
  )
}

/** Returns a figure of a month; undefined if unknown. */
const valueOf = ({ count, usual }: Month, name: (typeof monthSeries)[number]['name']) =>
  name === 'count' ? count : usual?.[name]

const valueText = (value: number | undefined) => (value === undefined ? '–' : formatCount(value))

/** Shows the same figures, each linked to its deals. */
function MonthTable({ months, filterOf }: { months: Month[]; filterOf: (day: string) => DealFilter }) {
  return (
    <FigureTable
      title="Month"
      rows={months}
      series={monthSeries}
      keyOf={({ from }) => from}
      dayOf={({ from }) => formatMonth(from)}
      cell={(month, { name }) => (
        <DealsLink count={month.count} filter={filterOf(month.from)}>
          {valueText(valueOf(month, name))}
          {name !== 'count' && <span className="sr-only"> of {formatCount(month.count)}</span>}
        </DealsLink>
      )}
      look={{ summary: 'px-4 sm:px-5', table: 'overflow-x-auto px-4 pb-4 sm:px-5' }}
    />
  )
}
