'use client'

import { keepPreviousData } from '@tanstack/react-query'
import { Circle, CircleCheck, Sun } from 'lucide-react'
import { useQueryStates } from 'nuqs'
import type { ReactNode } from 'react'
import { trpc } from '#app/trpc.ts'
import { formatCount } from '#app/ui/format.ts'
import { Link, PartnerLink } from '#app/ui/link.tsx'
import { lazyPart } from '#app/ui/load-part.ts'
import { Notice } from '#app/ui/notice.tsx'
import { QueryState } from '#app/ui/states.tsx'
import { AsOf, refetchOld, useFormat, useVisibleAt } from '#app/ui/times.tsx'
import { useViewer } from '#app/ui/viewer.tsx'
import type { Home, HomeScope, News } from '#server/insight/wire.ts'
import { newsLabels } from '#server/search/filters.ts'
import { listHref } from '../deals/list-href.ts'
import { Attention, ChangeLine } from './deal-lines.tsx'
import { homeQuery } from './query.ts'
import { NextPayments, AsideLink, PageSection, lineLink } from './section.tsx'

// Loaded on demand, because each user sees it only once.
const SetUpCard = lazyPart(() => import('./set-up-card.tsx').then((module) => module.SetUpCard))

/** Shows what to do next: deals that need attention, updates, questions and payments. */
export function HomePage() {
  const [query] = useQueryStates(homeQuery.parsers)
  const home = trpc.insight.home.useQuery(query, {
    refetchInterval: refetchOld,
    placeholderData: keepPreviousData,
  })
  const nowMs = useVisibleAt(home)
  const { data } = home
  return (
    <>
      <div className="mb-5 flex min-h-9 flex-wrap items-center gap-x-4 gap-y-2">
        <h1 className="text-xl font-semibold tracking-tight">Home</h1>
        {data?.isNamed && <ScopeSwitch show={data.show} />}
        <p className="text-ink-soft">
          <AsOf asOf={data?.asOf ?? null} nowMs={nowMs} />
        </p>
      </div>
      <SetUpCard />
      <QueryState what="your deals" query={home} data={data}>
        {(shown) => (shown.dealCount === 0 ? <NoDeals /> : <Parts home={shown} nowMs={nowMs} />)}
      </QueryState>
    </>
  )
}

const scopeLabels: Record<HomeScope, string> = { mine: 'Mine', everyone: 'Everyone' }

function ScopeSwitch({ show }: { show: HomeScope }) {
  return (
    <nav aria-label="Whose deals" className="flex rounded-lg border border-line bg-surface p-0.5">
      {(Object.keys(scopeLabels) as HomeScope[]).map((scope) => (
        <Link
          key={scope}
          href={homeQuery.href({ show: scope })}
          replace
          prefetch={false}
          aria-current={scope === show ? 'true' : undefined}
          className="touch grid h-8 place-items-center rounded-md px-3 font-medium text-ink-soft hover:text-ink aria-[current]:bg-sunken aria-[current]:text-ink"
        >
          {scopeLabels[scope]}
        </Link>
      ))}
    </nav>
  )
}

function NoDeals() {
  const { seesAllPartners } = useViewer()
  return (
    <div className="rounded-xl border border-line bg-surface">
      {seesAllPartners ? (
        <FirstSteps />
      ) : (
        <Notice icon={Sun} title="No deals yet">
          Your installer adds your deals. You’ll see them here.
        </Notice>
      )}
    </div>
  )
}

function Parts({ home, nowMs }: { home: Home; nowMs: number }) {
  const { show, attention, news, payments } = home
  const newsSection = news && <NewsSection news={news} nowMs={nowMs} />
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-5 lg:grid-cols-[minmax(0,7fr)_minmax(0,5fr)]">
      <div className="flex min-w-0 flex-col gap-5">
        <Attention home={home} />
        {attention.length === 0 && newsSection}
      </div>
      <div className="flex min-w-0 flex-col gap-5">
        <NextPayments {...payments}>
          <AsideLink href="/money">View money</AsideLink>
        </NextPayments>
        <Questions isMine={show === 'mine'} nowMs={nowMs} />
        {attention.length > 0 && newsSection}
      </div>
    </div>
  )
}

function Questions({ isMine, nowMs }: { isMine: boolean; nowMs: number }) {
  const { data = [] } = trpc.messages.open.useQuery({ isMine })
  const { formatDuration, formatInstant } = useFormat()
  if (data.length === 0) return null
  return (
    <PageSection title={isMine ? 'Your open questions' : 'Open questions'}>
      <ul>
        {data.map(({ id, dealId, dealName, text, createdAt, waitingSince }) => {
          const since = (waitingSince ?? createdAt).toISOString()
          return (
            <li key={id}>
              <Link href={`/deals/${dealId}?thread=${id}`} prefetch={false} className={lineLink}>
                <span className="min-w-0 flex-1">
                  <span className="block truncate font-medium">{dealName}</span>
                  <span className="block truncate text-ink-soft">{text}</span>
                </span>
                <span className="shrink-0 text-right text-ink-soft">
                  {waitingSince === null ? (
                    <span className="font-medium text-good">Answered</span>
                  ) : (
                    <time dateTime={since} title={formatInstant(since)}>
                      Waiting {formatDuration(since, nowMs)}
                    </time>
                  )}
                </span>
              </Link>
            </li>
          )
        })}
      </ul>
    </PageSection>
  )
}

function NewsSection({ news: { counts, lines, lastVisit }, nowMs }: { news: News; nowMs: number }) {
  const { formatAgo, formatInstant } = useFormat()
  const some = counts.filter(({ count }) => count > 0)
  return (
    <PageSection title={lastVisit === null ? 'Last 7 days' : 'Since your last visit'}>
      <p className="-mt-1 px-4 pb-3 text-ink-soft tabular-nums sm:px-5">
        {some.length === 0 && 'No changes'}
        {some.map(({ name, count, isMore, filter }, index) => (
          <span key={name}>
            {index > 0 && ' · '}
            <AsideLink href={listHref(filter)}>
              {formatCount(count, isMore)} {newsLabels[name].toLowerCase()}
            </AsideLink>
          </span>
        ))}
        {lastVisit !== null && (
          <>
            {' · last visit '}
            <time dateTime={lastVisit} title={formatInstant(lastVisit)}>
              {formatAgo(lastVisit, nowMs)}
            </time>
          </>
        )}
      </p>
      <ul>
        {lines.map((line) => (
          <li key={String(line.deal.id)}>
            <ChangeLine line={line} lastVisit={lastVisit} nowMs={nowMs} />
          </li>
        ))}
      </ul>
    </PageSection>
  )
}

const link = 'rounded font-medium underline underline-offset-2'

/** Shows setup steps, and which are done, to an operator of an installation without deals. */
function FirstSteps() {
  const partners = trpc.partners.list.useQuery({ search: '' })
  const sources = trpc.sources.list.useQuery()
  const stages = trpc.stages.editable.useQuery()
  const isLoaded = partners.data && sources.data && stages.data
  return (
    <QueryState
      what="first steps"
      query={[partners, sources, stages].find(({ error }) => error !== null) ?? partners}
      data={
        isLoaded && {
          partners: partners.data.partners,
          isConnected: sources.data.some(({ connectedAt }) => connectedAt !== null),
          areStagesChecked:
            stages.data.length > 0 && stages.data.every(({ isPlaceProposed }) => !isPlaceProposed),
        }
      }
    >
      {(progress) => <Steps {...progress} />}
    </QueryState>
  )
}

function Steps({
  partners,
  isConnected,
  areStagesChecked,
}: {
  partners: { slug: string; admins: number; invited: number }[]
  isConnected: boolean
  areStagesChecked: boolean
}) {
  const uninvited = partners.find(({ admins, invited }) => admins + invited === 0)
  return (
    <section aria-labelledby="first-steps" className="mx-auto max-w-xl px-6 py-10">
      <h2 id="first-steps" className="text-base font-semibold">
        First steps
      </h2>
      <p className="mt-1.5 text-pretty text-ink-soft">No deals yet. They’ll appear here.</p>
      <ol className="mt-5 flex flex-col gap-5">
        <Step isDone={partners.length > 0} about="A dealer whose deals you share.">
          <Link href="/partners" className={link}>
            Create a partner
          </Link>
        </Step>
        <Step isDone={isConnected} about="Start with a file from your CRM, or sync its deals.">
          <Link href="/imports" className={link}>
            Import deals
          </Link>{' '}
          or{' '}
          <Link href="/sources" className={link}>
            connect a CRM
          </Link>
        </Step>
        <Step
          isDone={areStagesChecked}
          about="Stages come with the deals. Confirm what their deals wait for."
        >
          <Link href="/stages" className={link}>
            Check the stages
          </Link>
        </Step>
        <Step
          isDone={partners.length > 0 && uninvited === undefined}
          about="Admins invite the rest of their team."
        >
          {uninvited === undefined ? (
            <Link href="/partners" className={link}>
              Invite the partner’s admin
            </Link>
          ) : (
            <PartnerLink href="/team" partner={uninvited.slug} className={link}>
              Invite the partner’s admin
            </PartnerLink>
          )}
        </Step>
      </ol>
    </section>
  )
}

function Step({ isDone, about, children }: { isDone: boolean; about: string; children: ReactNode }) {
  const Icon = isDone ? CircleCheck : Circle
  return (
    <li className="flex gap-3">
      <Icon
        aria-hidden="true"
        className={`mt-0.5 size-4 shrink-0 ${isDone ? 'text-accent' : 'text-ink-soft'}`}
      />
      <div className="min-w-0">
        <p>
          {children}
          <span className={isDone ? 'ml-2 text-ink-soft' : 'sr-only'}> {isDone ? 'Done' : 'Not done'}</span>
        </p>
        <p className="text-pretty text-ink-soft">{about}</p>
      </div>
    </li>
  )
}
