'use client'

import { keepPreviousData } from '@tanstack/react-query'
import { LoaderCircle, CircleAlert } from 'lucide-react'
import { useEffect, useId, useMemo, useRef, type RefObject, useState } from 'react'
import { trpc } from '#app/trpc.ts'
import { SubmitButton } from '#app/ui/button.tsx'
import { isFocusFree } from '#app/ui/focus.ts'
import { formatCount, formatCountOf, formatDollars } from '#app/ui/format.ts'
import { Link } from '#app/ui/link.tsx'
import { SectionFailure } from '#app/ui/states.tsx'
import { useFormat } from '#app/ui/times.tsx'
import { useShownAt } from '#app/ui/use-shown-at.ts'
import type { FoundDeals } from '#server/deals/find/router.ts'
import type { BoardColumn } from '#server/deals/find/wire.ts'
import type { Prepared } from '#server/protocol/prepared.ts'
import { useViewer } from '../../viewer-of-page.tsx'
import { dealTitle } from '../deal-name.ts'
import { heldText, heldTitle, holderText } from '../money-labels.ts'
import { LateStep } from '../next-step.tsx'
import { isUnknown } from '../query-head.tsx'
import { type DealsState, dealsHref } from '../query.ts'
import { stageLooks } from '../stage-looks.ts'
import type { Row } from '../use-deals.ts'
import { cardsInput } from './columns.ts'

const next = (page: Prepared<FoundDeals>) => page.value().next

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
  const id = useId()
  const place = useRef<HTMLLIElement>(null)
  const isSeen = useSeen(place, isRead)
  return (
    <li
      ref={place}
      aria-labelledby={id}
      className="flex w-72 shrink-0 snap-start flex-col overflow-hidden rounded-xl bg-sunken max-md:w-[min(18rem,calc(100vw-4rem))]"
    >
      <ColumnHead id={id} column={column} state={state} />
      <div className="relative min-h-0 flex-1 overflow-y-auto overscroll-y-contain px-2 pb-2">
        <Cards
          column={column}
          input={cardsInput(state, column, today, useViewer().seesAllPartners)}
          isSeen={isSeen}
        />
      </div>
    </li>
  )
}

const nameOf = ({ stage }: BoardColumn) => stage || 'No stage'

function ColumnHead({ id, column, state }: { id: string; column: BoardColumn; state: DealsState }) {
  const { stage, tone, count, isMore, amount, withoutAmount } = column
  const name = nameOf(column)
  return (
    <div className="shrink-0 px-3.5 pt-3 pb-2.5">
      <h2 id={id} className="flex items-center gap-2">
        <span aria-hidden="true" className={`size-2 shrink-0 rounded-full ${stageLooks[tone].dot}`} />
        <Link
          href={dealsHref({ ...state, stage: [stage] })}
          title={name}
          aria-label={`${name}: ${isUnknown(column) ? 'deals' : formatCountOf(count, 'deal', isMore)}, show as list`}
          className="min-w-0 truncate rounded-sm font-semibold underline decoration-transparent underline-offset-2 hover:decoration-current"
        >
          {name}
        </Link>
        <span aria-hidden="true" className="ml-auto shrink-0 font-medium text-ink-soft tabular-nums">
          {!isUnknown(column) && formatCount(count, isMore)}
        </span>
      </h2>
      {amount !== null && count > 0 && (
        <p className="text-ink-soft tabular-nums">{amountText(amount, count, withoutAmount ?? 0)}</p>
      )}
    </div>
  )
}

/** Returns the amount of deals of which some may have none: `$12,000 · 3 without an amount`. */
function amountText(amount: number, count: number, withoutAmount: number): string {
  const without = withoutAmount > 0 ? [`${formatCount(withoutAmount)} without an amount`] : []
  return [...(withoutAmount < count ? [formatDollars(amount)] : []), ...without].join(' · ')
}

/** Shows the deals of a stage, loaded once the column is seen. */
function Cards({
  column,
  input,
  isSeen,
}: {
  column: BoardColumn
  input: ReturnType<typeof cardsInput>
  isSeen: boolean
}) {
  const found = trpc.deals.find.useInfiniteQuery(input, {
    initialCursor: null,
    getNextPageParam: next,
    placeholderData: keepPreviousData,
    enabled: isSeen,
  })
  const nowMs = useShownAt(found)
  const { data, error, refetch, fetchNextPage, isFetchingNextPage } = found
  const cards = useMemo<Row[] | undefined>(() => data?.pages.flatMap((page) => page.value().deals), [data])
  // A page may end without a match although there is more to look at.
  const isLooking = cards === undefined || (cards.length === 0 && found.hasNextPage)
  const looksOn = isLooking && found.hasNextPage && !isFetchingNextPage && error === null
  useEffect(() => {
    if (looksOn) void fetchNextPage()
  }, [looksOn, fetchNextPage])
  return (
    <>
      {isLooking && error === null && (
        <p role="status" className="flex items-center gap-2 p-2 text-ink-soft">
          <LoaderCircle aria-hidden="true" className="size-4 animate-spin" />
          Loading…
        </p>
      )}
      {cards !== undefined && (
        <ul aria-label={`Deals in ${nameOf(column)}`} className="space-y-2">
          {cards.map((card) => (
            <DealCard key={String(card.id)} card={card} nowMs={nowMs} />
          ))}
        </ul>
      )}
      {error !== null && (
        <SectionFailure
          error={error}
          retry={cards === undefined ? refetch : fetchNextPage}
          className="gap-2 p-2"
        />
      )}
      {found.hasNextPage && !isLooking && error === null && (
        <ShowMore name={nameOf(column)} isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()} />
      )}
    </>
  )
}

const ShowMore = ({ name, isBusy, onClick }: { name: string; isBusy: boolean; onClick: () => void }) => (
  <SubmitButton
    type="button"
    look="plain"
    busy={isBusy}
    onClick={() => {
      if (!isBusy) onClick()
    }}
    className="mt-2 w-full"
  >
    Show more<span className="sr-only"> in {name}</span>
  </SubmitButton>
)

// The card that was opened last, to which the focus returns.
let opened: bigint | null = null

function focusAgain(link: HTMLAnchorElement | null): void {
  if (link === null || !isFocusFree()) return
  opened = null
  link.focus()
}

/** Shows a deal on the board. */
function DealCard({ card, nowMs }: { card: Row; nowMs: number }) {
  const { formatDuration, formatInstant } = useFormat()
  const {
    id,
    city,
    state,
    amount,
    timeInCurrentStage: since,
    hasOutstandingItems,
    milestone,
    held,
    partner,
  } = card
  return (
    <li className="relative rounded-lg border border-line bg-surface px-3 py-2.5 has-hover:border-control has-focus-visible:outline-2 has-focus-visible:-outline-offset-1 has-focus-visible:outline-accent">
      <Link
        data-card
        ref={id === opened ? focusAgain : undefined}
        onClick={() => {
          opened = id
        }}
        href={`/deals/${id}`}
        prefetch={false}
        title={dealTitle(card)}
        className="line-clamp-2 font-medium wrap-anywhere outline-none after:absolute after:inset-0"
      >
        {dealTitle(card)}
      </Link>
      {partner != null && <p className="truncate">{partner}</p>}
      <p className="truncate text-ink-soft">{[city, state].filter(Boolean).join(', ') || 'No city'}</p>
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
            <CircleAlert aria-label="Outstanding items" className="size-4 text-ink" />
          )}
          {since != null && (
            <time dateTime={since} title={`In stage since ${formatInstant(since)}`}>
              {formatDuration(since, nowMs)}
            </time>
          )}
        </span>
      </p>
      {held?.hold != null && (
        <p title={heldTitle(held)} className="truncate text-ink-soft">
          <span className="sr-only">Waiting on: </span>
          {[heldText(held), holderText(held)].filter(Boolean).join(' · ')}
        </p>
      )}
      <LateStep step={milestone} />
    </li>
  )
}

/** Returns whether an element has come near the visible area, to load its content only then. */
function useSeen(element: RefObject<Element | null>, isSeenAtOnce: boolean): boolean {
  const [isSeen, setSeen] = useState(isSeenAtOnce)
  useEffect(() => {
    if (isSeen || element.current === null) return
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setSeen(true)
      },
      { rootMargin: '0px 300px' },
    )
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [element, isSeen])
  return isSeen
}
