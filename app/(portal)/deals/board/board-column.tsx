'use client'

import { keepPreviousData } from '@tanstack/react-query'
import { CircleAlert, LoaderCircle } from 'lucide-react'
import { useId, useMemo, useRef } from 'react'
import { failureMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { button } from '#app/ui/button.ts'
import { formatCount, formatCountOf, formatDollars, formatDuration, formatInstant } from '#app/ui/format.ts'
import { Link } from '#app/ui/link.tsx'
import type { Deal } from '#server/deals/deal.ts'
import type { FoundDeals } from '#server/deals/find/router.ts'
import type { BoardColumn } from '#server/deals/find/wire.ts'
import type { Prepared } from '#server/protocol/prepared.ts'
import { dealTitle } from '../deal-name.ts'
import { type DealsState, dealsHref } from '../query.ts'
import { cardsInput } from './columns.ts'
import { useSeen } from './use-seen.ts'

type Card = Partial<Deal> & { id: bigint }

const next = (page: Prepared<FoundDeals>) => page.value().next

const dots = { neutral: 'bg-control', info: 'bg-info', wait: 'bg-wait', good: 'bg-good', bad: 'bg-bad' }

/** Shows a stage with its deals. `isRead`: the server has already loaded them. */
export function StageColumn({
  column,
  state,
  today,
  isRead,
}: {
  column: BoardColumn
  state: DealsState
  today: string
  isRead: boolean
}) {
  const { stage, tone, count, amount } = column
  const id = useId()
  const name = stage || 'No stage'
  const place = useRef<HTMLLIElement>(null)
  const isSeen = useSeen(place, isRead)
  const {
    data,
    dataUpdatedAt: nowMs,
    error,
    refetch,
    hasNextPage,
    fetchNextPage,
    isFetchingNextPage,
  } = trpc.deals.find.useInfiniteQuery(cardsInput(state, column, today), {
    initialCursor: null,
    getNextPageParam: next,
    placeholderData: keepPreviousData,
    enabled: isSeen,
  })
  const cards = useMemo<Card[] | undefined>(() => data?.pages.flatMap((page) => page.value().deals), [data])
  return (
    <li
      ref={place}
      aria-labelledby={id}
      className="flex w-72 shrink-0 snap-start flex-col overflow-hidden rounded-xl bg-sunken max-md:w-[min(18rem,calc(100vw-4rem))]"
    >
      <div className="shrink-0 px-3.5 pt-3 pb-2.5">
        <h2 id={id} className="flex items-center gap-2">
          <span aria-hidden="true" className={`size-2 shrink-0 rounded-full ${dots[tone]}`} />
          <Link
            href={dealsHref({ ...state, stage: [stage] })}
            title={name}
            aria-label={`${name}: ${formatCountOf(count, 'deal')}, show as list`}
            className="min-w-0 truncate rounded-sm font-semibold underline decoration-transparent underline-offset-2 hover:decoration-current"
          >
            {name}
          </Link>
          <span aria-hidden="true" className="ml-auto shrink-0 font-medium text-ink-soft tabular-nums">
            {formatCount(count)}
          </span>
        </h2>
        <p className="text-ink-soft tabular-nums">{formatDollars(amount)}</p>
      </div>
      <div className="relative min-h-0 flex-1 overflow-y-auto overscroll-y-contain px-2 pb-2">
        {cards !== undefined ? (
          <ul aria-label={`Deals in ${name}`} className="space-y-2">
            {cards.map((card) => (
              <DealCard key={String(card.id)} card={card} nowMs={nowMs} />
            ))}
          </ul>
        ) : error === null ? (
          <p role="status" className="flex items-center gap-2 p-2 text-ink-soft">
            <LoaderCircle aria-hidden="true" className="size-4 animate-spin" />
            Loading…
          </p>
        ) : null}
        {error !== null && (
          <div role="alert" className="flex flex-col items-start gap-2 p-2">
            <p className="text-pretty text-bad">{failureMessage(error)}</p>
            <button
              type="button"
              onClick={() => void (cards === undefined ? refetch() : fetchNextPage())}
              className={button.plain}
            >
              Try again
            </button>
          </div>
        )}
        {hasNextPage && error === null && (
          <button
            type="button"
            aria-busy={isFetchingNextPage}
            onClick={() => {
              if (!isFetchingNextPage) void fetchNextPage()
            }}
            className={`${button.plain} mt-2 w-full aria-busy:opacity-70`}
          >
            {isFetchingNextPage && <LoaderCircle aria-hidden="true" className="size-4 animate-spin" />}Show
            more<span className="sr-only"> in {name}</span>
          </button>
        )}
      </div>
    </li>
  )
}

function DealCard({ card, nowMs }: { card: Card; nowMs: number }) {
  const { id, city, state, amount, timeInCurrentStage: since, hasOutstandingItems } = card
  return (
    <li className="relative rounded-lg border border-line bg-surface px-3 py-2.5 has-hover:border-control has-focus-visible:outline-2 has-focus-visible:-outline-offset-1 has-focus-visible:outline-accent">
      <Link
        data-card
        href={`/deals/${id}`}
        prefetch={false}
        title={dealTitle(card)}
        className="line-clamp-2 font-medium wrap-anywhere outline-none after:absolute after:inset-0"
      >
        {dealTitle(card)}
      </Link>
      <p className="truncate text-ink-soft">{[city, state].filter(Boolean).join(', ') || 'No city yet'}</p>
      <p className="mt-1.5 flex flex-wrap items-center justify-between gap-x-3 tabular-nums">
        <span className="font-medium">
          {amount == null ? (
            <span className="font-normal text-ink-soft">No amount</span>
          ) : (
            formatDollars(amount)
          )}
        </span>
        <span className="flex items-center gap-1.5 text-ink-soft">
          {hasOutstandingItems === true && (
            <CircleAlert aria-label="Outstanding items" className="size-4 text-wait" />
          )}
          {since != null && (
            <time dateTime={since} title={`In stage since ${formatInstant(since)}`}>
              {formatDuration(since, nowMs)}
            </time>
          )}
        </span>
      </p>
    </li>
  )
}
