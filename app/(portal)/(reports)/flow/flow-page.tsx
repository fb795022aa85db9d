'use client'

import { Workflow } from 'lucide-react'
import { useQueryStates } from 'nuqs'
import { trpc } from '#app/trpc.ts'
import { Fold } from '#app/ui/fold.tsx'
import { formatCount, formatCountOf } from '#app/ui/format.ts'
import { Link } from '#app/ui/link.tsx'
import { type ListColumn, ListTable } from '#app/ui/list.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { QueryState } from '#app/ui/states.tsx'
import { refetchOld } from '#app/ui/times.tsx'
import { type FlowStep, flowSteps } from '#server/deals/milestones/flow.ts'
import { stepLabels, reachLabels } from '#server/deals/milestones/labels.ts'
import type { FlowFigures, StepFigure, CohortFigure, SliceFigures } from '#server/insight/flow/wire.ts'
import { usualText } from '../../deals/payment-text.ts'
import { listHref } from '../../home/list-href.ts'
import { AsideLink, DealsLink, LeftOut, PageSection } from '../../home/section.tsx'
import { FlowHead } from './flow-head.tsx'
import {
  lengthsLeftOut,
  paceText,
  conversionLeftOut,
  shareText,
  measureLabels,
  sliceLabels,
} from './labels.ts'
import { flowParsers } from './query.ts'
import { SlicedFoot, SlicedSection, choicesOf, valueName } from './sliced.tsx'

/** Shows step durations, slow deals, and conversion. */
export function FlowPage() {
  const [{ months }, setState] = useQueryStates(flowParsers)
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

/** Says of each step how long it takes and which deals are slower, those with most slow deals first. */
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

/** The days of a step, linked to the deals that took them. */
const Days = ({ days, taken }: { days: number | undefined; taken: Taken }) =>
  days === undefined ? tooFew : <DealsLink {...taken}>{formatCountOf(days, 'day')}</DealsLink>

type Taken = StepFigure['now']

const columns: ListColumn<StepFigure>[] = [
  { title: 'Step', cell: ({ step }) => stepLabels[step] },
  { title: 'Median', isNumber: true, cell: ({ now }) => <Days days={now.usual?.median} taken={now} /> },
  { title: '80% within', isNumber: true, cell: ({ now }) => <Days days={now.usual?.slow} taken={now} /> },
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

/** Shows each step: its duration, and its deals. */
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
        parts={[...lengthsLeftOut(leftOut), { ...leftOut.stepNotKnown, what: 'in a step that is not known' }]}
      />
    </div>
  )
}

/** The change in days, linked to the deals of the previous period. */
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

/** Shows how many deals created in the period have reached each step. */
function Cohorts({ figures: { cohorts, leftOut } }: { figures: FlowFigures }) {
  const all = cohorts[0]!.count
  return (
    <PageSection title="Conversion">
      <div className="overflow-x-auto px-4 pb-3 sm:px-5">
        <table className="w-full text-right tabular-nums">
          <thead className="text-xs text-ink-soft">
            <tr>
              {['Step', 'Deals', '% of created', '% of previous', 'Open', 'Lost'].map((title, index) => (
                <th
                  key={title}
                  scope="col"
                  className={`py-1.5 font-medium ${index === 0 ? 'text-left' : 'pl-3'}`}
                >
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {cohorts.map((figure, index) => (
              <CohortRow
                key={figure.reach}
                figure={figure}
                all={all}
                previous={cohorts[index - 1]?.count ?? null}
              />
            ))}
          </tbody>
        </table>
      </div>
      <p className="mt-auto border-t border-line px-4 py-3 text-pretty text-ink-soft sm:px-5">
        Deals created in the period that have completed this step or a later one. For open and lost deals it
        is the last one on record.
      </p>
      <LeftOut className="px-4 pb-3 sm:px-5" parts={conversionLeftOut(leftOut)} />
    </PageSection>
  )
}

function CohortRow({
  figure: { reach, count, open, lost, filter, openFilter, lostFilter },
  all,
  previous,
}: {
  figure: CohortFigure
  /** The number of deals created. */
  all: number
  /** The number of deals that reached the previous step; null for the first one. */
  previous: number | null
}) {
  const cells = [
    { count, filter, text: formatCount(count) },
    { count, filter, text: shareText(count, all) },
    { count, filter, text: previous === null ? '' : shareText(count, previous) },
    { count: open, filter: openFilter, text: formatCount(open) },
    { count: lost, filter: lostFilter, text: formatCount(lost) },
  ]
  return (
    <tr className="border-t border-line">
      <th scope="row" className="py-1.5 text-left font-medium">
        {reachLabels[reach]}
      </th>
      {cells.map((cell, index) => (
        <td key={index} className="py-1.5 pl-3">
          {cell.text !== '' && (
            <DealsLink count={cell.count} filter={cell.filter}>
              {cell.text}
            </DealsLink>
          )}
        </td>
      ))}
    </tr>
  )
}

type Value = SliceFigures['values'][number]
type Measure = keyof typeof measureLabels

/** Names stay visible while the steps are scrolled. */
const nameCell = 'sticky left-0 bg-surface px-4 text-left font-medium min-w-32 sm:min-w-44'

/** Shows the steps by the values of a selected field. */
function Slices({ figures }: { figures: FlowFigures }) {
  const [{ by, show, months }, setState] = useQueryStates(flowParsers)
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

/** Returns the figure of a step as text; empty if unknown. */
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
  return (
    <>
      <div className="relative overflow-x-auto rounded-xl border border-line bg-surface">
        <table className="w-full text-right tabular-nums">
          <caption className="sr-only">
            {measureLabels[measure]} by {sliceLabels[slice].toLowerCase()}
          </caption>
          <thead className="text-xs text-ink-soft">
            <tr>
              <th scope="col" className={`${nameCell} py-2.5`}>
                {sliceLabels[slice]}
              </th>
              <th scope="col" className="px-3 py-2.5 font-medium">
                Created
              </th>
              {flowSteps.map((step) => (
                <th key={step} scope="col" className="px-3 py-2.5 font-medium">
                  {stepLabels[step]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {values.map((value) => (
              <SliceRow key={value.value} value={value} figures={figures} measure={measure} />
            ))}
          </tbody>
        </table>
      </div>
      <LeftOut
        className="mt-2"
        parts={(measure === 'reached' ? conversionLeftOut : lengthsLeftOut)(figures.leftOut)}
      />
      <SlicedFoot
        name={`Flow by ${sliceLabels[slice].toLowerCase()}`}
        valueCount={valueCount}
        titles={[sliceLabels[slice], 'Created', ...Object.values(stepLabels)]}
        rows={values.map((value) => [
          valueName(value.value),
          String(value.reached[0]!.count),
          ...flowSteps.map((step) => figureOf(value, step, measure)),
        ])}
      />
    </>
  )
}

function SliceRow({ value, figures, measure }: { value: Value; figures: FlowFigures; measure: Measure }) {
  return (
    <tr className="border-t border-line">
      <th scope="row" className={`${nameCell} py-2`}>
        <Link href={listHref(value.filter)} prefetch={false} className="rounded hover:underline">
          {valueName(value.value)}
        </Link>
      </th>
      <td className="px-3 py-2">
        <DealsLink {...value.reached[0]!} />
      </td>
      {figures.steps.map(({ step, now }) => (
        <td key={step} className="px-3 py-2">
          {measure === 'reached' ? (
            <DealsLink {...reachedOf(value, step)}>{figureOf(value, step, measure)}</DealsLink>
          ) : (
            <DealsLink
              count={value.steps[step].now.count}
              filter={{ ...now.filter, ...value.filter }}
              sort={now.sort}
            >
              {figureOf(value, step, measure) || '–'}
              <span className="sr-only"> of {formatCount(value.steps[step].now.count)}</span>
            </DealsLink>
          )}
        </td>
      ))}
    </tr>
  )
}
