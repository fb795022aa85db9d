'use client'

import { keepPreviousData } from '@tanstack/react-query'
import { Sun } from 'lucide-react'
import { useQueryStates } from 'nuqs'
import type { ReactNode } from 'react'
import { failureMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { Notice } from '#app/ui/notice.tsx'
import { LoadFailure } from '#app/ui/states.tsx'
import { AsOf, refetchOld } from '#app/ui/times.tsx'
import { useShownAt } from '#app/ui/use-shown-at.ts'
import type { Overview } from '#server/insight/wire.ts'
import { Attention } from './attention.tsx'
import { ExpiringTokens } from './expiring-tokens.tsx'
import { FailingEndpoints } from './failing-endpoints.tsx'
import { Figures } from './figures.tsx'
import { NewsSection } from './news.tsx'
import { NextMoney } from './next-money.tsx'
import { OverviewSkeleton } from './overview-skeleton.tsx'
import { overviewParsers } from './query.ts'
import { Stages } from './stages.tsx'
import { Trend } from './trend.tsx'
import { Waiting } from './waiting.tsx'

/** Shows the overview of a partner's deals. */
export function OverviewPage() {
  return (
    <>
      <Head />
      <FailingEndpoints />
      <ExpiringTokens />
      <OverviewState />
    </>
  )
}

function useOverview() {
  const [query] = useQueryStates(overviewParsers)
  // The rest of the page stays while the changes of other days load.
  return trpc.insight.overview.useQuery(query, {
    refetchInterval: refetchOld,
    placeholderData: keepPreviousData,
  })
}

function Head() {
  const overview = useOverview()
  const { data } = overview
  const nowMs = useShownAt(overview)
  return (
    <div className="mb-5 flex flex-wrap items-baseline gap-x-3">
      <h1 className="text-xl font-semibold tracking-tight">Overview</h1>
      {data !== undefined && (
        <p className="text-ink-soft">
          <AsOf asOf={data.asOf} nowMs={nowMs} />
        </p>
      )}
    </div>
  )
}

function OverviewState() {
  const overview = useOverview()
  const { data, error, refetch } = overview
  const nowMs = useShownAt(overview)
  if (data === undefined) {
    if (error === null) return <OverviewSkeleton />
    return (
      <Card>
        <LoadFailure what="the overview" retry={refetch}>
          {failureMessage(error)}
        </LoadFailure>
      </Card>
    )
  }
  if (data.dealCount === 0)
    return (
      <Card>
        <Notice icon={Sun} title="No deals yet">
          This page shows what is new, what is waiting and what needs your attention once you have deals. If
          some are missing, ask the installer to import them.
        </Notice>
      </Card>
    )
  return <Parts overview={data} nowMs={nowMs} />
}

/** Shows the parts of the overview. News shrinks to a line when there is none, and the rest moves up. */
function Parts({
  overview: { figures, parts, unclear, attention, stages, news, waiting, waitingFilter, weeks, undated },
  nowMs,
}: {
  overview: Overview
  nowMs: number
}) {
  const hasNews = news !== null && news.lines.length > 0
  const openCount = figures.find(({ name }) => name === 'open')!.count
  const longest = (
    <Waiting waiting={waiting} waitingFilter={waitingFilter} openCount={openCount} nowMs={nowMs} />
  )
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-5 lg:grid-cols-[minmax(0,5fr)_minmax(0,7fr)]">
      <div className="lg:col-span-2">
        <Figures figures={figures} parts={parts} unclear={unclear} />
        <NextMoney />
      </div>
      {news !== null && !hasNews && (
        <div className="lg:col-span-2">
          <NewsSection news={news} nowMs={nowMs} />
        </div>
      )}
      <Attention attention={attention} />
      {hasNews ? <NewsSection news={news} nowMs={nowMs} /> : longest}
      <Stages stages={stages} />
      {hasNews && longest}
      <div className={hasNews ? 'lg:col-span-2' : 'grid'}>
        <Trend weeks={weeks} undated={undated} nowMs={nowMs} />
      </div>
    </div>
  )
}

function Card({ children }: { children: ReactNode }) {
  return <div className="rounded-xl border border-line bg-surface">{children}</div>
}
