'use client'

import { Workflow } from 'lucide-react'
import { useQueryStates } from 'nuqs'
import { trpc } from '#app/trpc.ts'
import { CsvButton } from '#app/ui/figures.tsx'
import { Fold } from '#app/ui/fold.tsx'
import { formatCount, formatCountOf } from '#app/ui/format.ts'
import { Link } from '#app/ui/link.tsx'
import { type ListColumn, ListTable } from '#app/ui/list.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { QueryState } from '#app/ui/states.tsx'
import { refetchOld } from '#app/ui/times.tsx'
import { type FlowStep, flowSteps } from '#server/deals/flow.ts'
import { stepLabels, reachLabels } from '#server/deals/labels.ts'
import type { FlowFigures, StepFigure, CohortFigure, SliceFigures } from '#server/insight/reports-wire.ts'
import { usualText } from '../../deals/deal-text.ts'
import { listHref } from '../../deals/list-href.ts'
import { AsideLink, DealsLink, LeftOut, PageSection } from '../../home/section.tsx'
import {
  FlowHead,
  MoreValues,
  SlicedSection,
  choicesOf,
  valueName,
  lengthsLeftOut,
  paceText,
  conversionLeftOut,
  shareText,
  measureLabels,
  sliceLabels,
} from './flow-parts.tsx'
import { flowQuery } from './query.ts'

/** Shows step durations, slow deals, and conversion. */
export function FlowPage() {
  const [{ months }, setState] = useQueryStates(flowQuery.parsers)
  const query = trpc.insight.flow.useQuery({ months }, { refetchInterval: refetchOld })
  const { data, dataUpdatedAt: nowMs } = query
  return (
    <>
      <FlowHead
        title="Flow"
        about="How long each step takes, which deals are slower than usual, and where deals drop out."
        asOf={data?.asOf ?? null}
        nowMs={nowMs}
        months={months}
        onMonths={(value) => void setState({ months: value })}
      />
      <QueryState what="flow" query={query} data={data}>
        {(figures) =>
          figures.dealCount === 0 ? (
            <div className="rounded-xl border border-line bg-surface">
              <Notice icon={Workflow} title="No deals yet">
                This page shows how long the steps of your deals take once you have deals.
              </Notice>
            </div>
          ) : (
            <div className="flex flex-col gap-5">
              <Pace figures={figures} />
              <Fold title="All step figures">
                <Steps figures={figures} />
              </Fold>
              <Fold title="Conversion">
                <Cohorts figures={figures} />
              </Fold>
              <Fold title="By utility, city, stage, closer or pipeline">
                <Slices figures={figures} />
              </Fold>
            </div>
          )
        }
      </QueryState>
    </>
  )
}

/** Shows how long each step takes and which deals are slower. Steps with the most slow deals come first. */
function Pace({ figures: { steps, slower } }: { figures: FlowFigures }) {
  const known = steps
    .filter(({ now, waiting }) => now.usual !== null || waiting.count > 0)
    .toSorted((a, b) => (b.slower?.count ?? 0) - (a.slower?.count ?? 0))
  return (
    <PageSection
      title="How long each step takes"
      aside={
        slower.count > 0 && (
          <AsideLink href={listHref(slower.filter, slower.sort)}>
            {formatCountOf(slower.count, 'deal')} slower than usual
          </AsideLink>
        )
      }
    >
      <ul aria-label="Steps">
        {known.map((figure) => (
          <li
            key={figure.step}
            className="flex flex-wrap justify-between gap-x-6 border-t border-line px-4 py-2.5 tabular-nums sm:px-5"
          >
            <StepSentence figure={figure} />
          </li>
        ))}
      </ul>
    </PageSection>
  )
}

function StepSentence({ figure: { step, now, previous, waiting, slower } }: { figure: StepFigure }) {
  const change = paceText(now, previous)
  return (
    <>
      <p className="text-pretty">
        <span className="font-medium">{stepLabels[step]}</span>{' '}
        <span className="text-ink-soft">
          {now.usual === null ? 'Too few deals to tell' : usualText(now.usual)}
          {change !== null && change.isBetter !== null && `, ${change.text} than before`}
        </span>
      </p>
      <p className="text-ink-soft">
        <DealsLink {...waiting}>
          {waiting.count === 0 ? 'No deals' : formatCountOf(waiting.count, 'deal')} waiting
        </DealsLink>
        {slower !== null && slower.count > 0 && (
          <>
            , <DealsLink {...slower}>{formatCount(slower.count)} slower than usual</DealsLink>
          </>
        )}
      </p>
    </>
  )
}

const tooFew = (
  <span title="Needs at least five deals" className="text-ink-soft">
    –<span className="sr-only"> Needs at least five deals</span>
  </span>
)

/** Shows the duration of a step in days, as a link to the deals that completed the step. */
const Days = ({ days, figure }: { days: number | undefined; figure: Taken }) =>
  days === undefined ? tooFew : <DealsLink {...figure}>{formatCountOf(days, 'day')}</DealsLink>

type Taken = StepFigure['now']

const columns: ListColumn<StepFigure>[] = [
  { title: 'Step', cell: ({ step }) => stepLabels[step] },
  { title: 'Median', isNumber: true, cell: ({ now }) => <Days days={now.usual?.median} figure={now} /> },
  { title: '80% within', isNumber: true, cell: ({ now }) => <Days days={now.usual?.slow} figure={now} /> },
  {
    title: 'vs. previous period',
    cell: ({ now, previous }) => <Change change={paceText(now, previous)} previous={previous} />,
  },
  { title: 'Deals', isNumber: true, cell: ({ now }) => <DealsLink {...now} /> },
  { title: 'In step now', isNumber: true, cell: ({ waiting }) => <DealsLink {...waiting} /> },
  {
    title: 'Slower than usual',
    isNumber: true,
    cell: ({ slower }) =>
      slower === null ? (
        tooFew
      ) : (
        <DealsLink {...slower}>
          {formatCount(slower.count)}
          {slower.count > 0 && (
            <span className="sr-only"> over {formatCountOf(slower.afterDays, 'day')}</span>
          )}
        </DealsLink>
      ),
  },
]

/** Shows the duration and the deals of each step. */
function Steps({ figures: { steps, leftOut } }: { figures: FlowFigures }) {
  return (
    <div className="min-w-0">
      <ListTable label="Steps" columns={columns} rows={steps} keyOf={({ step }) => step} />
      <p className="mt-2 text-pretty text-ink-soft">
        Calendar days. “80% within” is the 80th percentile. “Slower than usual” counts open deals that have
        been in their step longer than 80% of the deals that took it in the last 12 months. Each needs at
        least five deals.
      </p>
      <LeftOut
        className="mt-1"
        parts={[...lengthsLeftOut(leftOut), { ...leftOut.stepNotKnown, what: 'in an unknown step' }]}
      />
    </div>
  )
}

/** Shows the change in days, as a link to the deals of the previous period. */
function Change({ change, previous }: { change: ReturnType<typeof paceText>; previous: Taken }) {
  if (change === null) return <span className="text-ink-soft">–</span>
  const tone = change.isBetter ? 'text-good' : 'text-bad'
  return (
    <DealsLink {...previous}>
      <span className={change.isBetter === null ? 'font-normal text-ink-soft' : `font-normal ${tone}`}>
        {change.text}
        <span className="sr-only"> than {formatCountOf(previous.count, 'deal')} before</span>
      </span>
    </DealsLink>
  )
}

/**
 * A step with the number of created deals and of deals that reached the previous step (null for the first
 * step).
 */
type CohortRow = CohortFigure & { all: number; previous: number | null }

const cohortColumns: ListColumn<CohortRow>[] = [
  { title: 'Step', cell: ({ reach }) => reachLabels[reach] },
  { title: 'Deals', isNumber: true, cell: (row) => <DealsLink {...row} /> },
  {
    title: '% of created',
    isNumber: true,
    cell: ({ all, ...row }) => <DealsLink {...row}>{shareText(row.count, all)}</DealsLink>,
  },
  {
    title: '% of previous',
    isNumber: true,
    cell: ({ previous, ...row }) =>
      previous !== null && <DealsLink {...row}>{shareText(row.count, previous)}</DealsLink>,
  },
  {
    title: 'Open',
    isNumber: true,
    cell: ({ open, openFilter }) => <DealsLink count={open} filter={openFilter} />,
  },
  {
    title: 'Lost',
    isNumber: true,
    cell: ({ lost, lostFilter }) => <DealsLink count={lost} filter={lostFilter} />,
  },
]

/** Shows how many deals created in the period have reached each step. */
function Cohorts({ figures: { cohorts, leftOut } }: { figures: FlowFigures }) {
  const rows = cohorts.map((figure, index) => ({
    ...figure,
    all: cohorts[0]!.count,
    previous: cohorts[index - 1]?.count ?? null,
  }))
  return (
    <>
      <ListTable label="Conversion" columns={cohortColumns} rows={rows} keyOf={({ reach }) => reach} />
      <p className="mt-2 text-pretty text-ink-soft">
        Deals created in the period that have completed this step or a later one. For open and lost deals it
        is the last one on record.
      </p>
      <LeftOut className="mt-1" parts={conversionLeftOut(leftOut)} />
    </>
  )
}

type Value = SliceFigures['values'][number]
type Measure = keyof typeof measureLabels

/** Shows the steps for each value of a selected field. */
function Slices({ figures }: { figures: FlowFigures }) {
  const [{ by, show, months }, setState] = useQueryStates(flowQuery.parsers)
  const query = trpc.insight.flowSlices.useQuery({ months, slice: by }, { refetchInterval: refetchOld })
  return (
    <SlicedSection
      labels={sliceLabels}
      by={by}
      onBy={(name) => void setState({ by: name })}
      other={{
        label: 'Show',
        choices: choicesOf(measureLabels),
        value: show,
        onChange: (measure) => void setState({ show: measure }),
      }}
    >
      <QueryState what="slices" query={query} data={query.data}>
        {(slices) => <SliceTable slices={slices} figures={figures} measure={show} />}
      </QueryState>
    </SlicedSection>
  )
}

/** Returns the figure of a step as text, or an empty string if unknown. */
function figureOf(value: Value, step: FlowStep, measure: Measure): string {
  if (measure !== 'reached') return String(value.steps[step].now.usual?.[measure] ?? '')
  return shareText(reachedOf(value, step).count, value.reached[0]!.count)
}

const reachedOf = ({ reached }: Value, step: FlowStep) => reached.find(({ reach }) => reach === step)!

function SliceTable({
  slices: { slice, values, valueCount },
  figures,
  measure,
}: {
  slices: SliceFigures
  figures: FlowFigures
  measure: Measure
}) {
  const columns: ListColumn<Value>[] = [
    {
      title: sliceLabels[slice],
      cell: ({ value, filter }) => (
        <Link href={listHref(filter)} prefetch={false} className="rounded hover:underline">
          {valueName(value)}
        </Link>
      ),
    },
    { title: 'Created', isNumber: true, cell: ({ reached }) => <DealsLink {...reached[0]!} /> },
    ...figures.steps.map(({ step, now }): ListColumn<Value> => ({
      title: stepLabels[step],
      isNumber: true,
      cell: (value) => {
        const text = figureOf(value, step, measure)
        if (measure === 'reached') return <DealsLink {...reachedOf(value, step)}>{text}</DealsLink>
        const { count } = value.steps[step].now
        return (
          <DealsLink count={count} filter={{ ...now.filter, ...value.filter }} sort={now.sort}>
            {text || '–'}
            <span className="sr-only"> of {formatCount(count)}</span>
          </DealsLink>
        )
      },
    })),
  ]
  const name = `Flow by ${sliceLabels[slice].toLowerCase()}`
  return (
    <>
      <ListTable label={name} columns={columns} rows={values} keyOf={({ value }) => value} />
      <LeftOut
        className="mt-2"
        parts={(measure === 'reached' ? conversionLeftOut : lengthsLeftOut)(figures.leftOut)}
      />
      <div className="mt-2 flex flex-wrap items-center gap-x-4 gap-y-2 text-ink-soft">
        <MoreValues shown={values.length} all={valueCount} />
        <CsvButton
          name={name}
          rows={[
            columns.map(({ title }) => title),
            ...values.map((value) => [
              valueName(value.value),
              String(value.reached[0]!.count),
              ...flowSteps.map((step) => figureOf(value, step, measure)),
            ]),
          ]}
        />
      </div>
    </>
  )
}
