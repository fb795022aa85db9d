'use client'

import { keepPreviousData } from '@tanstack/react-query'
import { CircleAlert, LoaderCircle } from 'lucide-react'
import {
  type KeyboardEvent,
  type Ref,
  type RefObject,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from 'react'
import {
  useMedia,
  type DealsQuery,
  type Peek,
  useDealsState,
  usePeek,
} from '#app/(portal)/deals/use-deals-state.ts'
import { trpc } from '#app/trpc.ts'
import { Button } from '#app/ui/button.tsx'
import { formatCount, formatCountOf, formatDollars } from '#app/ui/format.ts'
import { isFocusFree, useShortcut } from '#app/ui/keyboard.tsx'
import { Link } from '#app/ui/link.tsx'
import { lazyPart } from '#app/ui/load-part.ts'
import { NotLoaded, SectionFailure } from '#app/ui/states.tsx'
import { AsOf, refetchOld, useVisibleAt } from '#app/ui/times.tsx'
import { useSettled } from '#app/ui/use-typed.ts'
import { useViewer } from '#app/ui/viewer.tsx'
import { blockerText, blockerTitle, responsibleText } from '#server/deals/labels.ts'
import type { FoundRow, FoundDeals } from '#server/search/router.ts'
import type { BoardColumn } from '#server/search/wire.ts'
import type { Prepared } from '#server/values/prepared.ts'
import { InStage, LateStep } from '../deal-marks.tsx'
import { dealTitle } from '../deal-text.ts'
import { ViewsButton } from '../deals-menus.tsx'
import { ListCard } from '../list-card.tsx'
import { NothingFound } from '../nothing-found.tsx'
import { isUnknown, QueryHead } from '../query-head.tsx'
import { dealsHref, type DealsState, filterOf } from '../query.ts'
import { stageLooks } from '../stages-of-page.tsx'
import { cardsInput, columnsAtOnce } from './cards.ts'

const PeekPanel = lazyPart(() => import('../peek-panel.tsx').then((module) => module.PeekPanel))

// The board is more expensive than the list, so wait for a pause in typing.
const settleMs = 150

/** Shows the matching deals by stage. `isPhone` is the server's guess from the user agent. */
export function BoardPage({ today, isPhone }: { today: string; isPhone: boolean }) {
  const [state, change] = useDealsState()
  const columns = useRef<HTMLOListElement>(null)
  const isNarrow = useMedia('(max-width: 47.99rem)', isPhone)
  const q = useSettled(state.q, settleMs)
  const settled = { ...state, q }
  const board = trpc.deals.board.useQuery(
    { filter: filterOf(settled, today) },
    { placeholderData: keepPreviousData, refetchInterval: refetchOld },
  )
  const nowMs = useVisibleAt(board)
  const peek = usePeek()
  const focusFirst = () => columns.current?.querySelector<HTMLElement>('a[data-card]')?.focus()
  useShortcut((key, { target, shiftKey }) => {
    if (target !== document.body || shiftKey || !(key in cardSteps)) return false
    focusFirst()
    return true
  })
  return (
    <div data-wide data-fill className="flex flex-col">
      <QueryHead
        total={board.data && totalOf(board.data.columns)}
        query={{ state, change, today }}
        isNarrow={isNarrow}
        isBusy={board.isPlaceholderData || q !== state.q}
        toRows={focusFirst}
      >
        <p className="text-ink-soft empty:hidden">
          <AsOf asOf={board.data?.asOf ?? null} nowMs={nowMs} />
        </p>
        <div className="ml-auto">
          <ViewsButton state={state} change={change} />
        </div>
      </QueryHead>
      {board.data === undefined ? (
        <ListCard>
          <NotLoaded what="the board" error={board.error} retry={board.refetch} />
        </ListCard>
      ) : (
        <div className="flex min-h-0 flex-1 gap-4">
          <Columns
            ref={columns}
            columns={board.data.columns}
            query={{ state: settled, change, today }}
            isBehind={board.isPlaceholderData}
            peek={peek}
          />
          {peek.id !== null && !isNarrow && (
            <PeekPanel key={peek.id} id={peek.id} onClose={() => peek.show(null)} />
          )}
        </div>
      )}
    </div>
  )
}

const cardSteps: Readonly<Record<string, number>> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }

function onCardKey(event: KeyboardEvent, peek: Peek) {
  const card = (event.target as Element).closest<HTMLElement>('a[data-card]')
  if (card === null || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return
  const step = cardSteps[event.key]
  if (event.key === ' ') peek.show(peek.id === card.dataset.card ? null : card.dataset.card!)
  else if (event.key === 'Escape' && peek.id !== null) peek.show(null)
  else if (step !== undefined) {
    const cards = [...card.closest('ul')!.querySelectorAll<HTMLElement>('a[data-card]')]
    const next = cards[cards.indexOf(card) + step]
    next?.focus()
    if (peek.id !== null && next !== undefined) peek.show(next.dataset.card!)
  } else return
  event.preventDefault()
}

const totalOf = (columns: BoardColumn[]) => ({
  count: columns.reduce((sum, { count }) => sum + count, 0),
  isMore: columns.some(({ isMore }) => isMore),
  amount: columns.reduce<number | null>(
    (sum, { amount }) => (sum === null || amount === null ? null : sum + amount),
    0,
  ),
  withoutAmount: columns.reduce((sum, column) => sum + (column.withoutAmount ?? 0), 0),
})

function Columns({
  ref,
  columns,
  query,
  isBehind,
  peek,
}: {
  ref: Ref<HTMLOListElement>
  columns: BoardColumn[]
  query: DealsQuery
  isBehind: boolean
  peek: Peek
}) {
  if (columns.length === 0)
    return (
      <ListCard>
        <NothingFound {...query} />
      </ListCard>
    )
  return (
    <ol
      ref={ref}
      aria-label="Stages"
      aria-busy={isBehind}
      onKeyDown={(event) => onCardKey(event, peek)}
      className={`relative -mx-4 flex min-h-0 min-w-0 flex-1 snap-x scroll-px-4 gap-3 overflow-x-auto px-4 pb-3 max-md:snap-mandatory sm:-mx-6 sm:scroll-px-6 sm:px-6 ${isBehind ? 'opacity-60' : ''}`}
    >
      {columns.map((column, index) => (
        <StageColumn
          key={column.stage}
          column={column}
          state={query.state}
          today={query.today}
          isRead={index < columnsAtOnce}
        />
      ))}
    </ol>
  )
}

const next = (page: Prepared<FoundDeals>) => page.value().next

/** Shows a stage with its deals. `isRead` is true if the server has already loaded the deals. */
function StageColumn({
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

function amountText(amount: number, count: number, withoutAmount: number): string {
  const without = withoutAmount > 0 ? [`${formatCount(withoutAmount)} without an amount`] : []
  return [...(withoutAmount < count ? [formatDollars(amount)] : []), ...without].join(' · ')
}

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
  const nowMs = useVisibleAt(found)
  const { data, error, refetch, fetchNextPage, isFetchingNextPage } = found
  const cards = useMemo(() => data?.pages.flatMap((page) => page.value().deals), [data])
  // A page may be empty even if later pages have matches.
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
        <SectionFailure error={error} retry={cards === undefined ? refetch : fetchNextPage} className="p-2" />
      )}
      {found.hasNextPage && !isLooking && error === null && (
        <Button
          busy={isFetchingNextPage}
          onClick={() => void fetchNextPage()}
          about={`in ${nameOf(column)}`}
          className="mt-2 w-full"
        >
          Show more
        </Button>
      )}
    </>
  )
}

let opened: bigint | null = null

function focusAgain(link: HTMLAnchorElement | null): void {
  if (link === null || !isFocusFree()) return
  opened = null
  link.focus()
}

function DealCard({ card, nowMs }: { card: FoundRow; nowMs: number }) {
  const { id, city, state, amount, hasOutstandingItems, milestone, held, partner } = card
  return (
    <li className="relative rounded-lg border border-line bg-surface px-3 py-2.5 has-hover:border-control has-focus-visible:outline-2 has-focus-visible:-outline-offset-1 has-focus-visible:outline-accent">
      <Link
        data-card={String(id)}
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
          <InStage deal={card} nowMs={nowMs} />
        </span>
      </p>
      {held?.hold != null && (
        <p title={blockerTitle(held)} className="truncate text-ink-soft">
          <span className="sr-only">Waiting on: </span>
          {[blockerText(held), responsibleText(held)].filter(Boolean).join(' · ')}
        </p>
      )}
      <LateStep step={milestone} />
    </li>
  )
}

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
