'use client'

import { keepPreviousData } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import { parseAsString, useQueryState } from 'nuqs'
import { useState, useCallback } from 'react'
import { failureMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { formatCount } from '#app/ui/format.ts'
import { LoadFailure } from '#app/ui/states.tsx'
import { AsOf, refetchOld } from '#app/ui/times.tsx'
import { useMedia } from '#app/ui/use-media.ts'
import { useSettled } from '#app/ui/use-settled.ts'
import { useShownAt } from '#app/ui/use-shown-at.ts'
import type { DealMap } from '#server/deals/map/wire.ts'
import { countScanLimit } from '#server/deals/policy.ts'
import { DealsMenus } from '../deals-menus.tsx'
import { ListCard } from '../list-card.tsx'
import { NothingFound } from '../nothing-found.tsx'
import { QueryHead } from '../query-head.tsx'
import { filterOf } from '../query.ts'
import { type DealsQuery, useDealsState } from '../use-deals-state.ts'
import { PlaceList } from './place-list.tsx'
import { type NearView, levelOf, mapTotal } from './places.ts'

// The county shapes are larger than the rest of the page; the list beside them shows the same figures.
const MapView = dynamic(() => import('./map-view.tsx').then((module) => module.MapView), {
  ssr: false,
  loading: () => (
    <p role="status" className="grid aspect-[975/610] place-items-center text-ink-soft">
      Loading map…
    </p>
  ),
})

// The map costs more than the list, so it is not requested on every keystroke.
const settleMs = 150

/**
 * Shows the matching deals on a map. `today` is the server's day; `isPhone` its guess from the user agent.
 */
export function MapPage({ today, isPhone }: { today: string; isPhone: boolean }) {
  const [state, change] = useDealsState()
  const isNarrow = useMedia('(max-width: 47.99rem)', isPhone)
  const q = useSettled(state.q, settleMs)
  const settled = { ...state, q }
  const map = trpc.deals.map.useQuery(
    { filter: filterOf(settled, today) },
    { placeholderData: keepPreviousData, refetchInterval: refetchOld },
  )
  const nowMs = useShownAt(map)
  return (
    <div data-wide className="-mt-2 sm:-mt-4">
      <QueryHead
        title="Map"
        total={map.data && mapTotal(map.data)}
        query={{ state, change, today }}
        isNarrow={isNarrow}
        isBusy={map.isPlaceholderData || q !== state.q}
        toRows={() => document.querySelector<HTMLElement>('[data-places] a')?.focus()}
      >
        {map.data !== undefined && map.data.asOf !== null && (
          <p className="text-ink-soft">
            <AsOf asOf={map.data.asOf} nowMs={nowMs} />
          </p>
        )}
        <DealsMenus state={state} change={change} hasColumns={false} />
      </QueryHead>
      {map.data === undefined ? (
        <NotLoaded error={map.error} retry={map.refetch} />
      ) : (
        <Places map={map.data} query={{ state: settled, change, today }} isBehind={map.isPlaceholderData} />
      )}
    </div>
  )
}

function NotLoaded({ error, retry }: { error: unknown; retry: () => unknown }) {
  if (error === null) return <p role="status">Loading map…</p>
  return (
    <ListCard>
      <LoadFailure what="the map" retry={retry}>
        {failureMessage(error)}
      </LoadFailure>
    </ListCard>
  )
}

// Not requested.
const nowhere = { west: 0, south: 0, east: 0, north: 0 }

function Places({ map, query, isBehind }: { map: DealMap; query: DealsQuery; isBehind: boolean }) {
  const [place, goTo] = usePlace()
  const level = levelOf(map, place)
  const [view, setView] = useState<NearView | null>(null)
  const [marked, mark] = useState<string | null>(null)
  const points = trpc.deals.points.useQuery(
    { filter: filterOf(query.state, query.today), within: view?.area ?? nowhere },
    { enabled: view !== null, placeholderData: keepPreviousData },
  )
  const shown = view && {
    ...points,
    data: points.data && { ...points.data, deals: points.data.deals.filter(view.shows) },
  }
  const total = mapTotal(map)
  if (total.count === 0 && !total.isMore)
    return (
      <ListCard>
        <NothingFound {...query} />
      </ListCard>
    )
  return (
    <div
      aria-busy={isBehind}
      className={`grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_24rem] ${isBehind ? 'opacity-60' : ''}`}
    >
      <section
        aria-label="Map"
        className="relative overflow-hidden rounded-xl border border-line bg-surface print:break-inside-avoid"
      >
        <MapView
          map={map}
          level={level}
          area={query.state.area}
          points={shown?.data ?? null}
          marked={marked}
          goTo={goTo}
          onView={setView}
          onFilter={(area) => query.change({ area })}
        />
        {map.isMore && (
          <p className="border-t border-line px-4 py-3 text-ink-soft">
            Counted among the first {formatCount(countScanLimit)} deals. Add filters to count all that match.
          </p>
        )}
      </section>
      <PlaceList map={map} level={level} state={query.state} goTo={goTo} points={shown} mark={mark} />
    </div>
  )
}

const inUrl = parseAsString.withOptions({ history: 'push' })

/**
 * Returns the county or state of the map from the query string, and a function to change it; null is the
 * country.
 */
function usePlace(): [string | null, (place: string | null) => void] {
  const [place, setPlace] = useQueryState('at', inUrl)
  const goTo = useCallback((next: string | null) => void setPlace(next), [setPlace])
  return [place, goTo]
}
