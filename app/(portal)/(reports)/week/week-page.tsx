'use client'

import { keepPreviousData } from '@tanstack/react-query'
import { CalendarDays, ChevronLeft, ChevronRight, Printer } from 'lucide-react'
import { useQueryStates } from 'nuqs'
import { trpc } from '#app/trpc.ts'
import { button } from '#app/ui/button-styles.ts'
import { Button } from '#app/ui/button.tsx'
import { formatCount } from '#app/ui/format.ts'
import { Link } from '#app/ui/link.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { PageHead } from '#app/ui/page-head.tsx'
import { QueryState } from '#app/ui/states.tsx'
import { AsOf, refetchOld, useFormat } from '#app/ui/times.tsx'
import { useShownAt } from '#app/ui/use-shown-at.ts'
import { courseLabels, holdLabels } from '#server/deals/milestones/labels.ts'
import {
  type MovedName,
  type WaitingFigure,
  type WeekReport,
  movedLabels,
} from '#server/insight/weekly/wire.ts'
import { holderLabels } from '../../deals/money-labels.ts'
import { undatedPart } from '../../home/labels.ts'
import { listHref } from '../../home/list-href.ts'
import { ChangeLine } from '../../home/news.tsx'
import { PageSection, LeftOut, CountedLine } from '../../home/section.tsx'
import { Expected } from '../../money/expected.tsx'
import { weekHref, weekParsers } from './query.ts'

/**
 * Shows a week of deals on one page: what moved, what is late, what waits and with whom, what is expected.
 */
export function WeekPage() {
  const [query] = useQueryStates(weekParsers)
  const week = trpc.insight.week.useQuery(query, {
    refetchInterval: refetchOld,
    placeholderData: keepPreviousData,
  })
  const nowMs = useShownAt(week)
  return (
    <QueryState what="the week" query={week} data={week.data} level={1}>
      {(report) => (
        <>
          <Head report={report} nowMs={nowMs} />
          {report.dealCount === 0 ? (
            <div className="rounded-xl border border-line bg-surface">
              <Notice icon={CalendarDays} title="No deals yet">
                This page shows what moved in a week, what is late and what is expected once you have deals.
              </Notice>
            </div>
          ) : (
            <>
              <Moved report={report} />
              <Now report={report} nowMs={nowMs} />
              <Lines lines={report.lines} nowMs={nowMs} />
            </>
          )}
        </>
      )}
    </QueryState>
  )
}

function Head({ report: { from, to, previous, next, today }, nowMs }: { report: WeekReport; nowMs: number }) {
  const { formatDay } = useFormat()
  const step = `${button.plain} print:hidden`
  const thisYear = today.slice(0, 4)
  return (
    <PageHead
      title={
        <>
          Week of {formatDay(from, nowMs)} – {formatDay(to, nowMs)}
          {/* Printed pages may be read in other years. */}
          {to.startsWith(thisYear) && <span className="hidden print:inline">{`, ${thisYear}`}</span>}
        </>
      }
    >
      <Link href={weekHref({ week: previous })} className={step}>
        <ChevronLeft aria-hidden="true" className="size-4" />
        Previous week
      </Link>
      {next !== null && (
        <Link href={weekHref({ week: next })} className={step}>
          Next week
          <ChevronRight aria-hidden="true" className="size-4" />
        </Link>
      )}
      <Button onClick={() => window.print()} className="print:hidden">
        <Printer aria-hidden="true" className="size-4" />
        Print
      </Button>
    </PageHead>
  )
}

/** Counted by deal dates: without a date, it is unknown whether it happened. */
const dated: ReadonlySet<string> = new Set<MovedName>(['installed', 'funded'])

/** Shows what happened in the week. */
function Moved({ report: { moved, undated, isKept } }: { report: WeekReport }) {
  return (
    <>
      <ul
        aria-label="Moved in the week"
        className="grid grid-cols-2 gap-px overflow-clip rounded-xl border border-line bg-line sm:grid-flow-col sm:auto-cols-fr sm:grid-cols-none"
      >
        {moved.map(({ name, count, isMore, filter }) => (
          <li key={name} className="flex bg-surface">
            <Link
              href={listHref(filter)}
              prefetch={false}
              className="flex flex-1 flex-col p-4 hover:bg-sunken/60 focus-visible:-outline-offset-2 sm:px-5"
            >
              <span className="text-ink-soft">{movedLabels[name]}</span>
              <span className="mt-1 text-2xl font-semibold tracking-tight tabular-nums">
                {formatCount(count, isMore)}
                <span className="sr-only">{count === 1 ? ' deal' : ' deals'}</span>
              </span>
              {dated.has(name) && <span className="mt-1 text-ink-soft">dated in the week</span>}
            </Link>
          </li>
        ))}
      </ul>
      <LeftOut className="mt-2 px-1" parts={undated.map(undatedPart)} />
      {!isKept && (
        <p className="mt-2 px-1 text-ink-soft">
          New deals and stage changes of this week are no longer kept.
        </p>
      )}
    </>
  )
}

/** Shows the latest moves of the week. */
function Lines({ lines, nowMs }: { lines: WeekReport['lines']; nowMs: number }) {
  if (lines.length === 0) return null
  return (
    <div className="mt-8">
      <PageSection title="Latest moves of the week">
        <ul>
          {lines.map((line) => (
            <li key={String(line.deal.id)}>
              <ChangeLine line={line} lastVisit={null} nowMs={nowMs} />
            </li>
          ))}
        </ul>
      </PageSection>
    </div>
  )
}

/** Shows what only exists for the present, whichever the week. */
function Now({ report: { late, waiting, asOf, ...money }, nowMs }: { report: WeekReport; nowMs: number }) {
  const { formatInstant } = useFormat()
  return (
    <>
      <div className="mt-8 mb-4 flex flex-wrap items-baseline gap-x-3">
        <h2 className="text-lg font-semibold tracking-tight">Right now</h2>
        <p className="text-ink-soft">
          {asOf === null ? formatInstant(new Date(nowMs)) : <AsOf asOf={asOf} nowMs={nowMs} />}
        </p>
      </div>
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-5 lg:grid-cols-2 print:block print:space-y-5">
        <div className="flex flex-col gap-5">
          <PageSection title="Late">
            {late.length === 0 && <p className="px-4 pb-4 text-ink-soft sm:px-5">Nothing is past due.</p>}
            <ul>
              {late.map((figure) => (
                <li key={figure.name}>
                  <CountedLine title={courseLabels[figure.name]} hint="Past due" counted={figure} />
                </li>
              ))}
            </ul>
          </PageSection>
          <Expected {...money} />
        </div>
        <PageSection title="Waiting on">
          {waiting.length === 0 && <p className="px-4 pb-4 text-ink-soft sm:px-5">No open deals.</p>}
          <ul>
            {waiting.map((figure) => (
              <li key={figure.name}>
                <Waiting figure={figure} />
              </li>
            ))}
          </ul>
        </PageSection>
      </div>
    </>
  )
}

/** Shows the deals with one hold, and who is responsible for most of them. */
function Waiting({ figure }: { figure: WaitingFigure }) {
  const { name, holder, people } = figure
  return (
    <>
      <CountedLine
        title={name === 'unknown' ? 'Not known' : holdLabels[name]}
        hint={holder === null ? 'Next step not known' : holderLabels[holder]}
        counted={figure}
      />
      {people.length > 0 && (
        <ul
          aria-label={`${holdLabels[name]}: with whom`}
          className="-mt-1 flex flex-wrap gap-x-4 gap-y-1 px-4 pb-2.5 tabular-nums sm:px-5"
        >
          {people.map((person) => (
            <li key={person.name} className="min-w-0">
              <Link
                href={listHref(person.filter, person.sort)}
                prefetch={false}
                className="rounded wrap-anywhere text-ink-soft hover:text-ink hover:underline"
              >
                {person.name} <span className="font-medium text-ink">{formatCount(person.count)}</span>
                <span className="sr-only">{person.count === 1 ? ' deal' : ' deals'}</span>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
