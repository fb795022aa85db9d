'use client'

import { keepPreviousData } from '@tanstack/react-query'
import { KeyRound, Sun, TriangleAlert } from 'lucide-react'
import { useQueryStates } from 'nuqs'
import type { ReactNode } from 'react'
import { failureMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { type Format, formatCount, formatCountOf, formatSum } from '#app/ui/format.ts'
import { Link } from '#app/ui/link.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { LoadFailure } from '#app/ui/states.tsx'
import { AsOf, refetchOld, useFormat } from '#app/ui/times.tsx'
import { useShownAt } from '#app/ui/use-shown-at.ts'
import { periodLabels } from '#server/insight/money/labels.ts'
import type { ExpectedFigure } from '#server/insight/money/wire.ts'
import type { Overview } from '#server/insight/wire.ts'
import type { UnhealthyEndpoint } from '#server/webhooks/store.ts'
import { answerText, endpointLabels } from '../(manage)/webhooks/labels.ts'
import { dealTitle } from '../deals/deal-name.ts'
import { StageBadge } from '../deals/stages-of-page.tsx'
import { notExpectedParts } from '../money/labels.ts'
import { useViewer } from '../viewer-of-page.tsx'
import { Figures, Stages, Trend } from './figures.tsx'
import { FirstSteps } from './first-steps.tsx'
import { attentionHint, attentionLabels, noneWaitsText } from './labels.ts'
import { listHref } from './list-href.ts'
import { NewsSection } from './news.tsx'
import { overviewParsers } from './query.ts'
import { AsideLink, lineLink, OverviewSection, LeftOut, CountedLine } from './section.tsx'

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
  const { seesAllPartners } = useViewer()
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
        {seesAllPartners ? (
          <FirstSteps />
        ) : (
          <Notice icon={Sun} title="No deals yet">
            Your installer adds your deals. You’ll see them here.
          </Notice>
        )}
      </Card>
    )
  return <Parts overview={data} nowMs={nowMs} />
}

/** Shows the parts of the overview. Without news, that part shrinks to a line, and the rest moves up. */
function Parts({
  overview: {
    dealCount,
    figures,
    parts,
    unclear,
    attention,
    stages,
    news,
    waiting,
    waitingFilter,
    weeks,
    undated,
  },
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
      <Attention
        attention={attention}
        hasDates={undated.find(({ name }) => name === 'notCreated')?.count !== dealCount}
      />
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

/** The placeholder of the overview while it loads. */
function OverviewSkeleton() {
  return (
    <div role="status">
      <span className="sr-only">Loading overview…</span>
      <div aria-hidden="true" className="grid animate-pulse gap-5 lg:grid-cols-[minmax(0,5fr)_minmax(0,7fr)]">
        <div className="h-28 rounded-xl border border-line bg-surface lg:col-span-2" />
        {[0, 1, 2, 3].map((part) => (
          <div key={part} className="rounded-xl border border-line bg-surface">
            {[0, 1, 2, 3, 4, 5].map((line) => (
              <div
                key={line}
                className="flex h-14 items-center gap-6 border-b border-line px-5 last:border-0"
              >
                <div className="h-3 w-48 max-w-full rounded-full bg-sunken" />
                <div className="ml-auto h-3 w-12 rounded-full bg-sunken" />
              </div>
            ))}
          </div>
        ))}
      </div>
    </div>
  )
}

/** Shows the deals that need attention, by reason, with the most dollar-days first. */
function Attention({ attention, hasDates }: Pick<Overview, 'attention'> & { hasDates: boolean }) {
  return (
    <OverviewSection title="Needs attention">
      {attention.length === 0 ? (
        <p className="m-auto px-6 pt-6 pb-12 text-center text-ink-soft">
          {hasDates
            ? 'Nothing to flag.'
            : 'Nothing to flag. Your CRM doesn’t send dates, so we can’t tell what’s late.'}
        </p>
      ) : (
        <ul className="flex flex-1 flex-col">
          {attention.map((figure) => (
            <li key={figure.name} className="max-h-20 flex-1">
              <CountedLine
                title={attentionLabels[figure.name].title}
                hint={attentionHint(figure)}
                counted={figure}
              />
            </li>
          ))}
        </ul>
      )}
    </OverviewSection>
  )
}

/** Shows the open deals that have been in their stage longest. */
function Waiting({
  waiting,
  waitingFilter,
  openCount,
  nowMs,
}: Pick<Overview, 'waiting' | 'waitingFilter'> & { openCount: number; nowMs: number }) {
  const { formatDuration, formatInstant } = useFormat()
  const all = listHref(waitingFilter, { field: 'timeInCurrentStage', direction: 'asc' })
  return (
    <OverviewSection
      title="Waiting longest"
      aside={waiting.length > 0 && <AsideLink href={all}>View all</AsideLink>}
    >
      {waiting.length === 0 ? (
        <p className="m-auto px-6 pt-6 pb-12 text-center text-ink-soft">{noneWaitsText(openCount)}</p>
      ) : (
        <ul>
          {waiting.map((deal) => (
            <li key={String(deal.id)}>
              <Link href={`/deals/${deal.id}`} prefetch={false} className={lineLink}>
                <span className="min-w-0 flex-1">
                  <span className="block truncate font-medium">{dealTitle(deal)}</span>
                  <span className="block truncate text-ink-soft">
                    {deal.stage !== null && <span className="sm:hidden">{deal.stage} · </span>}
                    {[deal.city, deal.state].filter(Boolean).join(', ') || 'No address'}
                  </span>
                </span>
                {deal.stage !== null && (
                  <span className="max-w-2/5 shrink-0 max-sm:hidden">
                    <StageBadge stage={deal.stage} />
                  </span>
                )}
                <time
                  dateTime={deal.timeInCurrentStage!}
                  title={`Since ${formatInstant(deal.timeInCurrentStage!)}`}
                  className="w-18 shrink-0 text-right font-medium tabular-nums"
                >
                  {formatDuration(deal.timeInCurrentStage!, nowMs)}
                </time>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </OverviewSection>
  )
}

const expectedNouns: Partial<Record<ExpectedFigure['name'], string>> = {
  install: 'install',
  submission: 'funding submission',
  payment: 'payment',
}

const shownPeriods = ['thisWeek', 'nextWeek'] as const

/** Shows what is expected this week and next, with a link to the Money page. */
function NextMoney() {
  const { data } = trpc.insight.money.useQuery(undefined, { refetchInterval: refetchOld })
  if (data === undefined) return null
  const next = data.expected.filter(({ name, count }) => count > 0 && expectedNouns[name] !== undefined)
  return (
    <section aria-label="Expected" className="relative mt-3 flex flex-col gap-1 px-4 tabular-nums sm:px-5">
      {shownPeriods.map((period, index) => (
        <div
          key={period}
          className="flex flex-wrap items-baseline gap-x-5 gap-y-1 max-sm:flex-col max-sm:not-first:mt-2"
        >
          <h2 className="w-20 font-semibold">{periodLabels[period]}</h2>
          <ExpectedFigures figures={next.filter((each) => each.period === period)} />
          {index === 0 && (
            <span className="ml-auto max-sm:absolute max-sm:right-4">
              <AsideLink href="/money">View money</AsideLink>
            </span>
          )}
        </div>
      ))}
      <LeftOut
        parts={notExpectedParts({ notExpected: data.notExpected.filter(({ name }) => name !== 'm1') })}
      />
      <p className="text-ink-soft">Contract amounts of deals, not payments.</p>
    </section>
  )
}

function ExpectedFigures({ figures }: { figures: ExpectedFigure[] }) {
  if (figures.length === 0) return <p className="text-ink-soft">No expected dates</p>
  return figures.map(({ name, certainty, count, amount, filter, sort }) => (
    <Link
      key={`${name} ${certainty}`}
      href={listHref(filter, sort)}
      prefetch={false}
      className="rounded hover:underline"
    >
      <span className="font-medium">{formatCountOf(count, expectedNouns[name]!)}</span>{' '}
      <span className="text-ink-soft">
        {certainty === 'scheduled' ? 'scheduled' : 'expected'} · {formatSum({ count, amount })}
      </span>
    </Link>
  ))
}

/** Warns admins of tokens that expire soon. */
function ExpiringTokens() {
  const { formatUntil } = useFormat()
  const expiring = trpc.tokens.expiring.useQuery()
  const { data } = expiring
  const nowMs = useShownAt(expiring)
  if (data === undefined || data.first === null) return null
  return (
    <Link
      href="/tokens"
      className="mb-5 flex w-fit items-center gap-2.5 rounded-lg bg-wait-soft px-3.5 py-2.5 text-wait hover:underline"
    >
      <KeyRound aria-hidden="true" className="size-4 shrink-0" />
      {formatCountOf(data.count, 'token')} {data.count === 1 ? 'expires' : 'expire, the first'}{' '}
      {formatUntil(data.first, nowMs)}
    </Link>
  )
}

const endpointsRefreshMs = 30_000

/** Shows admins failing or disabled endpoints, or nothing. */
function FailingEndpoints() {
  const troubled = trpc.webhooks.troubled.useQuery(undefined, { refetchInterval: endpointsRefreshMs })
  const { data = [] } = troubled
  const nowMs = useShownAt(troubled)
  const format = useFormat()
  if (data.length === 0) return null
  return (
    <section
      aria-label="Failing webhooks"
      className="mb-5 flex gap-3 rounded-xl bg-bad-soft px-4 py-3 text-bad"
    >
      <TriangleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
      <ul className="flex min-w-0 flex-col gap-2">
        {data.map((endpoint) => (
          <li key={endpoint.kind} className="text-pretty wrap-anywhere">
            <span className="font-medium">{headline(endpoint, nowMs, format)}</span> {details(endpoint)}{' '}
            <Link href="/webhooks" className="font-medium underline underline-offset-2">
              Check the endpoint<span className="sr-only"> for {endpointLabels[endpoint.kind].label}</span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}

function headline(
  { kind, health: { state, since } }: UnhealthyEndpoint,
  nowMs: number,
  format: Format,
): string {
  const what = `Webhooks for ${endpointLabels[kind].label.toLowerCase()}`
  const span = format.formatDuration(since!, nowMs)
  return state === 'off' ? `${what} were switched off ${span} ago.` : `${what} have been failing for ${span}.`
}

function details({ health: { answer }, pending, pendingIsMore }: UnhealthyEndpoint): string {
  const last = answer === null ? '' : `Last response: ${answerText(answer)}. `
  if (pending === 0) return `${last}No deliveries are pending.`
  const count = `${pendingIsMore ? 'More than ' : ''}${formatCount(pending)}`
  return `${last}${count} ${pending === 1 ? 'delivery is' : 'deliveries are'} pending.`
}
