import { FigureTable, LineFigure, LineSample } from '#app/ui/figures.tsx'
import { formatCount, formatCountOf, formatDollars, formatSum } from '#app/ui/format.ts'
import { Link } from '#app/ui/link.tsx'
import { useFormat } from '#app/ui/times.tsx'
import type { TimeField } from '#server/deals/find/columns.ts'
import type { Overview } from '#server/insight/wire.ts'
import { addDays } from '#server/protocol/zone.ts'
import { isClosed } from '#server/stages/stage.ts'
import { stageLooks } from '../deals/stages-of-page.tsx'
import { figureLabels, partLabels, unclearTexts, stageText, undatedPart } from './labels.ts'
import { listHref } from './list-href.ts'
import { OverviewSection, AsideLink, LeftOut } from './section.tsx'

/** Shows the main figures. */
export function Figures({ figures, parts, unclear }: Pick<Overview, 'figures' | 'parts' | 'unclear'>) {
  const unclearPart = (name: (typeof unclear)[number]['name']) =>
    unclear
      .filter((each) => each.name === name)
      .map(({ count, filter }) => ({ count, filter, what: unclearTexts[name] }))
  return (
    <>
      <ul
        aria-label="Money"
        className="grid overflow-clip rounded-xl border border-line bg-surface max-sm:divide-y sm:grid-cols-3 sm:divide-x divide-line"
      >
        {figures.map(({ name, count, amount, filter, sort }) => (
          <li key={name} className="flex flex-col">
            <Link
              href={listHref(filter, sort)}
              prefetch={false}
              className="flex flex-1 flex-col px-4 py-4 hover:bg-sunken/60 focus-visible:-outline-offset-2 sm:px-5 sm:py-5"
            >
              <span className="text-ink-soft">{figureLabels[name].title}</span>
              <span
                title={formatSum({ count, amount }, formatDollars)}
                className="mt-1 text-2xl font-semibold tracking-tight tabular-nums"
              >
                {formatSum({ count, amount })}
              </span>
              <span className="mt-0.5 text-ink-soft tabular-nums">
                <span className="font-medium text-ink">{formatCountOf(count, 'deal')}</span>{' '}
                {figureLabels[name].hint}
              </span>
            </Link>
            {name === 'installed' && count > 0 && <Parts parts={parts} />}
            {name === 'installed' && (
              <LeftOut
                parts={unclearPart('gateNotKnown')}
                className="border-t border-line px-4 py-2.5 sm:px-5"
              />
            )}
          </li>
        ))}
      </ul>
      <LeftOut of="in dollars" parts={unclearPart('unpriced')} className="mt-2 px-1" />
    </>
  )
}

/** Shows what the deals of a figure wait for; the counts add up to it. */
function Parts({ parts }: Pick<Overview, 'parts'>) {
  return (
    <p className="flex flex-wrap gap-x-4 gap-y-1 border-t border-line px-4 py-2.5 tabular-nums sm:px-5">
      {parts.map(({ name, count, filter, sort }) => (
        <Link
          key={name}
          href={listHref(filter, sort)}
          prefetch={false}
          className="rounded text-ink-soft hover:text-ink hover:underline"
        >
          <span className="font-medium text-ink">{formatCount(count)}</span> {partLabels[name]}
        </Link>
      ))}
    </p>
  )
}

/** Shows the number of deals in each stage as bars, with closed stages below. */
export function Stages({ stages }: Pick<Overview, 'stages'>) {
  const open = stages.filter(({ kind }) => !isClosed(kind))
  const closed = stages.filter(({ kind }) => isClosed(kind))
  const most = Math.max(...open.map(({ count }) => count))
  return (
    <OverviewSection title="Deals by stage">
      <ul className="pb-2">
        {open.map(({ stage, tone, count, amount }) => (
          <li key={stage}>
            <Link
              href={listHref({ stages: [stage] })}
              prefetch={false}
              title={`${stageText(stage)}: ${formatSum({ count, amount }, formatDollars)}`}
              className="grid grid-cols-[minmax(0,1fr)_auto_3.5rem] items-center gap-x-3 gap-y-1 px-4 py-1.5 sm:grid-cols-[minmax(0,9rem)_1fr_3.25rem_3.5rem] tabular-nums hover:bg-sunken/60 focus-visible:-outline-offset-2 sm:px-5"
            >
              <span className="truncate">{stageText(stage)}</span>
              <svg aria-hidden="true" className="h-2.5 w-full max-sm:order-last max-sm:col-span-3">
                <rect width="100%" height="100%" rx="5" className="fill-sunken" />
                <rect
                  width={`${(100 * count) / most}%`}
                  height="100%"
                  rx="5"
                  className={stageLooks[tone].bar}
                />
              </svg>
              <span className="text-right font-medium">
                {formatCount(count)}
                <span className="sr-only">{count === 1 ? ' deal, ' : ' deals, '}</span>
              </span>
              <span className="text-right text-ink-soft">{formatSum({ count, amount })}</span>
            </Link>
          </li>
        ))}
      </ul>
      {closed.length > 0 && (
        <ul
          aria-label="Closed"
          className="mt-auto flex flex-wrap gap-x-5 gap-y-1 border-t border-line px-4 py-3 text-ink-soft tabular-nums sm:px-5"
        >
          {closed.map(({ stage, count, amount }) => (
            <li key={stage}>
              <Link
                href={listHref({ stages: [stage] })}
                prefetch={false}
                title={formatSum({ count, amount }, formatDollars)}
                className="rounded wrap-anywhere hover:text-ink hover:underline"
              >
                {stage} <span className="font-medium text-ink">{formatCount(count)}</span>
                <span className="sr-only"> deals</span>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </OverviewSection>
  )
}

const lastDayOf = (monday: string) => addDays(monday, 6)

/** Shows the deals created, installed and funded by week. */
export function Trend({ weeks, undated, nowMs }: Pick<Overview, 'weeks' | 'undated'> & { nowMs: number }) {
  const { formatDay } = useFormat()
  const dayOf = (day: string) => formatDay(`${day}T00:00:00Z`, nowMs)
  return (
    <OverviewSection
      title={`Last ${weeks.length} weeks`}
      aside={<AsideLink href="/flow/trends">View trends</AsideLink>}
    >
      <Legend weeks={weeks} />
      <LineFigure
        points={weeks}
        series={weekSeries}
        dayOf={dayOf}
        unfinished="This week"
        titleOf={(day) => `Week of ${dayOf(day)}`}
        hrefOf={(day, name) =>
          hrefOf(weekSeries.find((each) => each.name === name)!.field, day, lastDayOf(day))
        }
      />
      <FigureTable
        title="Week of"
        rows={weeks}
        series={weekSeries}
        keyOf={({ from }) => from}
        dayOf={({ from }) => dayOf(from)}
        cell={({ from, ...counts }, { name, field }) => (
          <Link
            href={hrefOf(field, from, lastDayOf(from))}
            prefetch={false}
            className="rounded hover:underline"
          >
            {formatCount(counts[name])}
          </Link>
        )}
        look={{ summary: 'rounded-b-xl px-4 sm:px-5', table: 'overflow-x-auto px-4 pb-4 sm:px-5' }}
      />
      <LeftOut className="px-4 pb-4 sm:px-5" parts={undated.map(undatedPart)} />
    </OverviewSection>
  )
}

/** Links to the deals with a date between these days. */
const hrefOf = (field: TimeField, from: string, to: string) =>
  listHref({ dates: { [field]: { from, to } } }, { field, direction: 'desc' })

function Legend({ weeks }: Pick<Overview, 'weeks'>) {
  const [from, to] = [weeks[0]!.from, lastDayOf(weeks.at(-1)!.from)]
  return (
    <ul className="flex flex-wrap gap-x-6 gap-y-1 px-4 pb-3 sm:px-5">
      {weekSeries.map((series) => (
        <li key={series.name}>
          <Link
            href={hrefOf(series.field, from, to)}
            prefetch={false}
            className="flex items-center gap-2 rounded hover:underline"
          >
            <LineSample series={series} />
            <span className="text-ink-soft">{series.label}</span>
            <span className="font-medium tabular-nums">
              {formatCount(weeks.reduce((sum, week) => sum + week[series.name], 0))}
              <span className="sr-only"> deals</span>
            </span>
          </Link>
        </li>
      ))}
    </ul>
  )
}

/** The figures counted by week. `dash` distinguishes the lines without color. */
const weekSeries = [
  { name: 'created', label: 'Created', field: 'createDate', color: 'var(--info)', dash: '5 5' },
  { name: 'installed', label: 'Installed', field: 'installComplete', color: 'var(--teal)', dash: undefined },
  {
    name: 'funded',
    label: 'Funding submitted',
    field: 'fundingSubmitted',
    color: 'var(--good)',
    dash: '1 5',
  },
] as const satisfies {
  name: string
  label: string
  field: TimeField
  color: string
  dash: string | undefined
}[]
