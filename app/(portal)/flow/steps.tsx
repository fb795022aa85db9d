import { formatCount, formatCountOf } from '#app/ui/format.ts'
import { Link } from '#app/ui/link.tsx'
import { type ListColumn, ListTable } from '#app/ui/list.tsx'
import { stepLabels } from '#server/deals/milestones/labels.ts'
import type { FlowFigures, StepFigure } from '#server/insight/flow/wire.ts'
import { LeftOut } from '../overview/left-out.tsx'
import { listHref } from '../overview/list-href.ts'
import { DealsLink } from './deals-link.tsx'
import { lengthsLeftOut, paceText } from './labels.ts'

const tooFew = (
  <span title="Needs at least five deals" className="text-ink-soft">
    –<span className="sr-only"> Needs at least five deals</span>
  </span>
)

/** The days that a step took, which lead to the deals that took them. */
function Days({ days, taken: { count, filter, sort } }: { days: number | undefined; taken: Taken }) {
  if (days === undefined) return tooFew
  return (
    <DealsLink count={count} filter={filter} sort={sort}>
      {formatCountOf(days, 'day')}
    </DealsLink>
  )
}

type Taken = StepFigure['now']

const columns: ListColumn<StepFigure>[] = [
  { title: 'Step', cell: ({ step }) => stepLabels[step] },
  { title: 'Median', isNumber: true, cell: ({ now }) => <Days days={now.usual?.median} taken={now} /> },
  {
    title: '80% within',
    isNumber: true,
    cell: ({ now }) => <Days days={now.usual?.slow} taken={now} />,
  },
  {
    title: 'vs. previous period',
    cell: ({ now, previous }) => <Change change={paceText(now, previous)} previous={previous} />,
  },
  {
    title: 'Deals',
    isNumber: true,
    cell: ({ now: { count, filter, sort } }) => (
      <DealsLink count={count} filter={filter} sort={sort}>
        {formatCount(count)}
      </DealsLink>
    ),
  },
  {
    title: 'In step now',
    isNumber: true,
    cell: ({ waiting: { count, filter, sort } }) => (
      <DealsLink count={count} filter={filter} sort={sort}>
        {formatCount(count)}
      </DealsLink>
    ),
  },
  {
    title: 'Slowest 20%',
    isNumber: true,
    cell: ({ slower }) =>
      slower === null ? (
        tooFew
      ) : (
        <DealsLink count={slower.count} filter={slower.filter} sort={slower.sort}>
          {formatCount(slower.count)}
          {slower.count > 0 && (
            <span className="sr-only"> over {formatCountOf(slower.afterDays, 'day')}</span>
          )}
        </DealsLink>
      ),
  },
]

/** Shows each step: how long it takes, and who is in it. */
export function Steps({ figures: { steps, slower, leftOut } }: { figures: FlowFigures }) {
  return (
    <section aria-labelledby="flow-steps" className="min-w-0">
      <div className="mb-3 flex flex-wrap items-baseline gap-x-4 gap-y-1">
        <h2 id="flow-steps" className="font-semibold">
          Steps
        </h2>
        {slower.count > 0 && (
          <p className="ml-auto">
            <Link
              href={listHref(slower.filter, slower.sort)}
              prefetch={false}
              className="rounded font-medium text-accent hover:underline"
            >
              {formatCountOf(slower.count, 'deal')} among the slowest 20%
            </Link>
          </p>
        )}
      </div>
      <ListTable label="Steps" columns={columns} rows={steps} keyOf={({ step }) => step} />
      <p className="mt-2 text-pretty text-ink-soft">
        Calendar days. “80% within” is the 80th percentile. “Slowest 20%” counts open deals that have been in
        their step longer than 80% of the deals that took it in the last 12 months. Each needs at least five
        deals.
      </p>
      <LeftOut
        className="mt-1"
        parts={[...lengthsLeftOut(leftOut), { ...leftOut.stepNotKnown, what: 'in a step that is not known' }]}
      />
    </section>
  )
}

/** How the days changed, which leads to the deals of the period before. */
function Change({ change, previous }: { change: ReturnType<typeof paceText>; previous: Taken }) {
  if (change === null) return <span className="text-ink-soft">–</span>
  const tone = change.isBetter ? 'text-good' : 'text-bad'
  return (
    <DealsLink count={previous.count} filter={previous.filter} sort={previous.sort}>
      <span className={change.isBetter === null ? 'font-normal text-ink-soft' : `font-normal ${tone}`}>
        {change.text}
        <span className="sr-only"> than {formatCountOf(previous.count, 'deal')} before</span>
      </span>
    </DealsLink>
  )
}
