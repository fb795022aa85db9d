'use client'

import { LogIn } from 'lucide-react'
import dynamic from 'next/dynamic'
import { usePartnerHref } from '#app/partner.tsx'
import { button } from '#app/ui/button-styles.ts'
import { PartnerLink } from '#app/ui/link.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { LoadFailure } from '#app/ui/states.tsx'
import { useMedia } from '#app/ui/use-media.ts'
import { DealsMenus } from './deals-menus.tsx'
import { DealsSkeleton } from './deals-skeleton.tsx'
import { ListCard } from './list-card.tsx'
import { QueryHead } from './query-head.tsx'
import { dealsHref } from './query.ts'
import { similarText } from './similar-text.ts'
import { DealsTable } from './table/deals-table.tsx'
import { LoadingMore } from './table/loading-more.tsx'
import { useDealsList } from './use-deals-list.ts'
import { type DealsQuery, useDealsState } from './use-deals-state.ts'
import { type Peek, usePeek } from './use-peek.ts'

// Loaded when needed.
const NothingFound = dynamic(() => import('./nothing-found.tsx').then((module) => module.NothingFound))
const ChosenBar = dynamic(() => import('./chosen-bar.tsx').then((module) => module.ChosenBar), { ssr: false })
const PeekPanel = dynamic(() => import('./peek-panel.tsx').then((module) => module.PeekPanel), { ssr: false })
const DealsCards = dynamic(() => import('./table/deals-cards.tsx').then((module) => module.DealsCards))

/** Shows the deals that match the query. `today` is the server's day; `isPhone` its guess from the user agent. */
export function DealsPage({ today, isPhone }: { today: string; isPhone: boolean }) {
  const [state, change] = useDealsState()
  const query = { state, change, today }
  const isNarrow = useMedia('(max-width: 47.99rem)', isPhone)
  const peek = usePeek()
  const found = useDealsList(state, today, isNarrow, peek)
  const { chosen } = found.list
  return (
    <div
      data-wide
      data-fill
      // Selected rows stay above the bar.
      className="flex flex-col has-[>[role=toolbar]]:pb-16 max-md:has-[>[role=toolbar]>a]:pb-36"
    >
      <QueryHead
        title="Deals"
        total={found.total}
        query={query}
        isNarrow={isNarrow}
        isBusy={found.isBehind}
        toRows={found.list.drawn.enter}
      >
        <DealsMenus
          state={state}
          change={change}
          hasColumns={!isNarrow}
          print={found.print}
          select={isNarrow ? () => chosen.setChoosing(true) : undefined}
        />
      </QueryHead>
      <div className="flex min-h-0 flex-1 gap-4">
        <div className="flex min-h-0 min-w-0 flex-1 flex-col">
          <Results found={found} query={query} isNarrow={isNarrow} peek={peek} />
        </div>
        {peek.id !== null && !isNarrow && (
          <PeekPanel key={peek.id} id={peek.id} onClose={() => peek.show(null)} />
        )}
      </div>
      {(chosen.rows.length > 0 || chosen.isChoosing) && <ChosenBar chosen={chosen} state={state} />}
    </div>
  )
}

function Results({
  found: { list, similarWords, hasMore, isLoaded, error, refetch },
  query,
  isNarrow,
  peek,
}: {
  found: ReturnType<typeof useDealsList>
  query: DealsQuery
  isNarrow: boolean
  peek: Peek
}) {
  if (!isLoaded) {
    if (error === null) return <DealsSkeleton />
    return (
      <ListCard>
        {error.data?.code === 'UNAUTHORIZED' ? (
          <SignedOut href={dealsHref(query.state)} />
        ) : (
          <LoadFailure what="deals" retry={refetch}>
            Check your connection. If that is fine, it is us, and it should work again in a moment.
          </LoadFailure>
        )}
      </ListCard>
    )
  }
  if (list.rows.length === 0)
    return (
      <ListCard>
        {hasMore ? (
          <LoadingMore
            more={list.more === 'failed' ? 'failed' : 'loading'}
            loadMore={list.loadMore}
            what="Looking for matching deals"
          />
        ) : (
          <NothingFound {...query} />
        )}
      </ListCard>
    )
  return (
    <>
      {list.similarFrom !== undefined && (
        <p role="status" className="mb-2 shrink-0 wrap-anywhere text-ink-soft">
          {similarText(list.similarFrom, similarWords)}
        </p>
      )}
      {isNarrow ? (
        <DealsCards {...list} />
      ) : (
        <DealsTable {...list} peek={peek} state={query.state} change={query.change} />
      )}
    </>
  )
}

function SignedOut({ href }: { href: string }) {
  const hrefOf = usePartnerHref()
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
