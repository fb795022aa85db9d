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
import { Loading, QueryState } from '#app/ui/states.tsx'
import { AsOf, refetchOld, useFormat, useVisibleAt } from '#app/ui/times.tsx'
import type { UndatedName } from '#server/insight/question.ts'
import { type MovedName, type WeekReport, movedLabels } from '#server/insight/wire.ts'
import { listHref } from '../../deals/list-href.ts'
import { Attention, ChangeLine } from '../../home/deal-lines.tsx'
import { undatedPart } from '../../home/labels.ts'
import { LeftOut, PageSection, NextPayments } from '../../home/section.tsx'
import { Holds } from '../../money/money-page.tsx'
import { weekQuery } from './query.ts'

/** Shows a week of deals for a meeting: changes, deals to discuss, blockers and expected payments. */
export function WeekPage() {
  const [query] = useQueryStates(weekQuery.parsers)
  const week = trpc.insight.week.useQuery(query, {
    refetchInterval: refetchOld,
    placeholderData: keepPreviousData,
  })
  const nowMs = useVisibleAt(week)
  return (
    <QueryState what="the week" query={week} data={week.data} level={1}>
      {(report) => (
        <>
          <Head report={report} nowMs={nowMs} />
          {report.dealCount === 0 ? (
            <div className="rounded-xl border border-line bg-surface">
              <Notice icon={CalendarDays} title="No deals yet">
                This page shows what changed in a week, what is late and what is expected once you have deals.
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
  const { formatDays } = useFormat()
  const thisYear = today.slice(0, 4)
  return (
    <PageHead
      title={
        <>
          Week of {formatDays(from, to, nowMs)}
          {/* Printed pages may be read in a later year. */}
          {to.startsWith(thisYear) && <span className="hidden print:inline">{`, ${thisYear}`}</span>}
        </>
      }
    >
      <Link href={weekQuery.href({ week: previous })} className={button.plain}>
        <ChevronLeft aria-hidden="true" className="size-4" />
        Previous week
      </Link>
      {next !== null && (
        <Link href={weekQuery.href({ week: next })} className={button.plain}>
          Next week
          <ChevronRight aria-hidden="true" className="size-4" />
        </Link>
      )}
      <Button onClick={() => window.print()}>
        <Printer aria-hidden="true" className="size-4" />
        Print
      </Button>
    </PageHead>
  )
}

/** Counts by a date, and the reason why some deals without that date are missing from the count. */
const undatedOf: Partial<Record<MovedName, UndatedName>> = { installed: 'notInstalled', funded: 'notFunded' }

/** Shows what happened in the week. */
function Moved({ report: { moved, undated, isKept } }: { report: WeekReport }) {
  const hasUndated = (name: MovedName) =>
    undated.some((each) => each.name === undatedOf[name] && each.count > 0)
  return (
    <>
      <ul
        aria-label="Changes of the week"
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
                {count === 0 && hasUndated(name) ? '–' : formatCount(count, isMore)}
                <span className="sr-only">{count === 1 ? ' deal' : ' deals'}</span>
              </span>
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

/** Shows current data, independent of the selected week: deals to discuss, blockers and expected payments. */
function Now({
  report: { holds, expected, notExpected, asOf },
  nowMs,
}: {
  report: WeekReport
  nowMs: number
}) {
  const { formatInstant } = useFormat()
  const { data: home } = trpc.insight.home.useQuery({ show: 'everyone' }, { refetchInterval: refetchOld })
  return (
    <>
      <div className="mt-8 mb-4 flex flex-wrap items-baseline gap-x-3">
        <h2 className="text-lg font-semibold tracking-tight">Right now</h2>
        <p className="text-ink-soft">
          {asOf === null ? formatInstant(new Date(nowMs)) : <AsOf asOf={asOf} nowMs={nowMs} />}
        </p>
      </div>
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-5 lg:grid-cols-2 print:grid-cols-2">
        {home === undefined ? <Loading what="deals to talk about" /> : <Attention home={home} />}
        <div className="flex flex-col gap-5">
          <NextPayments expected={expected} notExpected={notExpected} />
          <Holds holds={holds} />
        </div>
      </div>
    </>
  )
}

function Lines({ lines, nowMs }: { lines: WeekReport['lines']; nowMs: number }) {
  if (lines.length === 0) return null
  return (
    <div className="mt-8">
      <PageSection title="Latest changes">
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
