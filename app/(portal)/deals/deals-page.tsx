'use client'

import { CloudOff, LogIn } from 'lucide-react'
import dynamic from 'next/dynamic'
import { type ReactNode, useCallback } from 'react'
import { usePartnerHref } from '#app/partner.tsx'
import { button } from '#app/ui/button.ts'
import { PartnerLink } from '#app/ui/link.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { useMedia } from '#app/ui/use-media.ts'
import { DealsHead } from './deals-head.tsx'
import { DealsSkeleton } from './deals-skeleton.tsx'
import { dealsHref, viewQuery } from './query.ts'
import { cardHeight } from './table/card-height.ts'
import { DealsTable, headHeight, rowHeights } from './table/deals-table.tsx'
import { useRows } from './table/use-rows.ts'
import { useDealsState } from './use-deals-state.ts'
import { type Row, useCount, useDeals } from './use-deals.ts'

// Loaded when needed.
const NothingFound = dynamic(() => import('./nothing-found.tsx').then((module) => module.NothingFound))
const DealsCards = dynamic(() => import('./table/deals-cards.tsx').then((module) => module.DealsCards))

const noRows: Row[] = []

/** Shows the deals that match the query. `today` is the server's day; `isPhone` its guess from the user agent. */
export function DealsPage({ today, isPhone }: { today: string; isPhone: boolean }) {
  const [state, change] = useDealsState()
  const isNarrow = useMedia('(max-width: 47.99rem)', isPhone)
  const {
    rows,
    isBehind,
    error,
    refetch,
    hasNextPage,
    isFetchingNextPage,
    isFetchNextPageError,
    fetchNextPage,
    dataUpdatedAt,
  } = useDeals(state, today)
  const { data: total } = useCount(state, today)
  const loadMore = useCallback(() => void fetchNextPage(), [fetchNextPage])
  const drawn = useRows({
    rows: rows ?? noRows,
    hasMore: hasNextPage && !isFetchingNextPage && !isFetchNextPageError && !isBehind,
    loadMore,
    rowHeight: isNarrow ? cardHeight : rowHeights[state.density],
    headHeight: isNarrow ? 0 : headHeight,
    asked: viewQuery({ ...state, columns: null, widths: null, density: 'comfortable' }),
  })
  const list = {
    rows: rows ?? noRows,
    drawn,
    count: total?.count,
    nowMs: dataUpdatedAt,
    more: isFetchNextPageError ? 'failed' : isFetchingNextPage ? 'loading' : 'none',
    loadMore,
  } as const

  return (
    <div data-wide data-fill className="flex flex-col">
      <DealsHead
        state={state}
        change={change}
        today={today}
        total={total}
        isNarrow={isNarrow}
        isBusy={isBehind}
        toRows={drawn.enter}
      />
      {rows === undefined ? (
        error === null ? (
          <DealsSkeleton />
        ) : (
          <Card>
            <Failure
              href={dealsHref(state)}
              signedOut={error.data?.code === 'UNAUTHORIZED'}
              retry={() => void refetch()}
            />
          </Card>
        )
      ) : rows.length === 0 ? (
        <Card>
          <NothingFound state={state} change={change} today={today} />
        </Card>
      ) : isNarrow ? (
        <DealsCards {...list} />
      ) : (
        <DealsTable {...list} state={state} change={change} />
      )}
    </div>
  )
}

const Card = ({ children }: { children: ReactNode }) => (
  <div className="min-h-0 flex-1 overflow-y-auto rounded-xl border border-line bg-surface">{children}</div>
)

function Failure({ href, signedOut, retry }: { href: string; signedOut: boolean; retry: () => void }) {
  const hrefOf = usePartnerHref()
  if (signedOut) {
    return (
      <Notice
        icon={LogIn}
        title="You are signed out"
        action={
          <PartnerLink
            partner={null}
            href={`/sign-in?${new URLSearchParams({ callbackUrl: hrefOf(href) })}`}
            className={button.primary}
          >
            Sign in
          </PartnerLink>
        }
      >
        Sign in again to see your deals.
      </Notice>
    )
  }
  return (
    <Notice
      icon={CloudOff}
      title="Could not load deals"
      action={
        <button type="button" onClick={retry} className={button.primary}>
          Try again
        </button>
      }
    >
      Check your connection. If that is fine, it is us, and it should work again in a moment.
    </Notice>
  )
}
