'use client'

import { keepPreviousData } from '@tanstack/react-query'
import { ChevronRight, MapPinOff } from 'lucide-react'
import { parseAsString, useQueryState } from 'nuqs'
import { useState, useCallback } from 'react'
import { useMedia, type DealsQuery, useDealsState } from '#app/(portal)/deals/use-deals-state.ts'
import { trpc } from '#app/trpc.ts'
import { formatCount, formatCountOf, formatDollars, formatSum } from '#app/ui/format.ts'
import { Link } from '#app/ui/link.tsx'
import { lazyPart } from '#app/ui/load-part.ts'
import { Notice } from '#app/ui/notice.tsx'
import { NotLoaded, SectionNotLoaded } from '#app/ui/states.tsx'
import { AsOf, refetchOld, useVisibleAt } from '#app/ui/times.tsx'
import { useSettled } from '#app/ui/use-typed.ts'
import { useViewer } from '#app/ui/viewer.tsx'
import { countScanLimit } from '#server/deals/policy.ts'
import type { DealMap, DealPoints } from '#server/search/wire.ts'
import { dealTitle } from '../deal-text.ts'
import { DealsMenus } from '../deals-menus.tsx'
import { ListCard } from '../list-card.tsx'
import { NothingFound } from '../nothing-found.tsx'
import { QueryHead } from '../query-head.tsx'
import { filterOf, type DealsState, dealsHref } from '../query.ts'
import {
  type NearView,
  levelOf,
  mapTotal,
  type Level,
  type PlaceFigure,
  isDrawn,
  listedPlaces,
  nameOfLevel,
  stateOfFilter,
} from './places.ts'

// The county shapes are larger than the rest of the page, and the list beside the map shows the same figures.
const MapView = lazyPart(
  () => import('./map-view.tsx').then((module) => module.MapView),
  () => (
    <p role="status" className="grid aspect-[975/610] place-items-center text-ink-soft">
      Loading map…
    </p>
  ),
)

// The map is more expensive than the list, so wait for a pause in typing.
const settleMs = 150

/** Shows the matching deals on a map. `isPhone` is the server's guess from the user agent. */
export function MapPage({ today, isPhone }: { today: string; isPhone: boolean }) {
  const [state, change] = useDealsState()
  const isNarrow = useMedia('(max-width: 47.99rem)', isPhone)
  const q = useSettled(state.q, settleMs)
  const settled = { ...state, q }
  const map = trpc.deals.map.useQuery(
    { filter: filterOf(settled, today) },
    { placeholderData: keepPreviousData, refetchInterval: refetchOld },
  )
  const nowMs = useVisibleAt(map)
  return (
    <div data-wide className="-mt-2 sm:-mt-4">
      <QueryHead
        total={map.data && mapTotal(map.data)}
        query={{ state, change, today }}
        isNarrow={isNarrow}
        isBusy={map.isPlaceholderData || q !== state.q}
        toRows={() => document.querySelector<HTMLElement>('[data-places] a')?.focus()}
      >
        <p className="text-ink-soft empty:hidden">
          <AsOf asOf={map.data?.asOf ?? null} nowMs={nowMs} />
        </p>
        <DealsMenus state={state} change={change} hasColumns={false} />
      </QueryHead>
      {map.data === undefined ? (
        <ListCard>
          <NotLoaded what="the map" error={map.error} retry={map.refetch} />
        </ListCard>
      ) : (
        <Places map={map.data} query={{ state: settled, change, today }} isBehind={map.isPlaceholderData} />
      )}
    </div>
  )
}

const nowhere = { west: 0, south: 0, east: 0, north: 0 }

function Places({ map, query, isBehind }: { map: DealMap; query: DealsQuery; isBehind: boolean }) {
  const [place, goTo] = usePlace()
  const level = levelOf(map, place ?? stateOfFilter(map, query.state.state))
  const own = filterOf(query.state, query.today)
  // Exclude deals of neighboring states and counties, which the view may include.
  const here = nameOfLevel(level)
  const [view, setView] = useState<NearView | null>(null)
  const points = trpc.deals.points.useQuery(
    { filter: here === null ? own : { ...own, places: [here] }, within: view?.area ?? nowhere },
    { enabled: view !== null, placeholderData: keepPreviousData },
  )
  const visible = view && {
    ...points,
    data: points.data && { ...points.data, deals: points.data.deals.filter(view.shows) },
  }
  const { offers } = useViewer()
  const total = mapTotal(map)
  if (total.count === 0 && !total.isMore)
    return (
      <ListCard>
        <NothingFound {...query} />
      </ListCard>
    )
  if (!offers.map)
    return (
      <ListCard>
        <Notice icon={MapPinOff} title="No coordinates">
          The map opens once your deals have coordinates.
        </Notice>
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
          points={visible?.data ?? null}
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
      <PlaceList map={map} level={level} state={query.state} goTo={goTo} points={visible} />
    </div>
  )
}

const inUrl = parseAsString.withOptions({ history: 'push' })

const wholeCountry = 'United States'

/** Returns the place in the query string, and a function that changes it. Null shows the whole country. */
function usePlace(): [string | null, (place: string | null) => void] {
  const [place, setPlace] = useQueryState('at', inUrl)
  // Without a value in the URL, the map would follow the filter.
  const goTo = useCallback((next: string | null) => void setPlace(next ?? wholeCountry), [setPlace])
  return [place, goTo]
}

function PlaceList({
  map,
  level,
  state,
  goTo,
  points,
}: {
  map: DealMap
  level: Level
  state: DealsState
  goTo: (place: string | null) => void
  points: PointsQuery
}) {
  return (
    <section
      aria-label="Places"
      data-places
      className="min-w-0 rounded-xl border border-line bg-surface lg:max-h-[calc(100dvh-14rem)] lg:overflow-y-auto print:max-h-none"
    >
      <Trail level={level} goTo={goTo} />
      <table className="w-full text-right tabular-nums">
        <caption className="sr-only">
          Deals by {level.kind === 'country' ? 'state' : 'county'}, by their coordinates
        </caption>
        <thead className="text-xs text-ink-soft">
          <tr>
            {[level.kind === 'country' ? 'State' : 'County', 'Deals', 'Amount'].map((title) => (
              <th
                key={title}
                scope="col"
                className="px-2 py-1.5 font-medium first:pl-4 first:text-left last:pr-4"
              >
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {listedPlaces(map, level).map((row) => (
            <PlaceRow
              key={row.place}
              row={row}
              isMore={map.isMore}
              state={state}
              goTo={level.kind !== 'county' && isDrawn(row.place) ? goTo : null}
            />
          ))}
          {level.kind === 'country' && map.unplaced.count > 0 && (
            <PlaceRow row={{ ...map.unplaced, place: '' }} isMore={map.isMore} state={state} goTo={null} />
          )}
        </tbody>
      </table>
      {points !== null && <DealsOnMap {...points} />}
    </section>
  )
}

const nameOf = (place: string) => (place === '' ? 'No usable coordinates' : place)

function PlaceRow({
  row: { place, count, amount },
  isMore,
  state,
  goTo,
}: {
  row: PlaceFigure
  isMore: boolean
  state: DealsState
  goTo: ((place: string) => void) | null
}) {
  const href = dealsHref({ ...state, place: [place] })
  return (
    <tr className="border-t border-line">
      <th scope="row" className="py-1.5 pr-2 pl-4 text-left font-medium">
        {goTo === null ? (
          <span className={place === '' ? 'font-normal text-ink-soft' : ''}>{nameOf(place)}</span>
        ) : (
          <button
            type="button"
            aria-label={`Zoom to ${place}`}
            onClick={() => goTo(place)}
            className="touch rounded text-left hover:underline"
          >
            {place}
          </button>
        )}
      </th>
      <td className="px-2 py-1.5">
        <Link
          href={href}
          prefetch={false}
          aria-label={`${nameOf(place)}: ${formatCountOf(count, 'deal', isMore)}, show as list`}
          className="touch-number rounded font-medium text-accent hover:underline"
        >
          {formatCount(count, isMore)}
        </Link>
      </td>
      <td className="py-1.5 pr-4 pl-2 text-ink-soft" title={formatSum({ count, amount }, formatDollars)}>
        {isMore ? (
          '–'
        ) : (
          <Link href={href} prefetch={false} tabIndex={-1} className="touch-number rounded hover:underline">
            {formatSum({ count, amount })}
          </Link>
        )}
      </td>
    </tr>
  )
}

/** The query of the deals on the map; null if the map is zoomed out too far. */
type PointsQuery = { data: DealPoints | undefined; error: unknown; refetch: () => unknown } | null

const listedMax = 50

const countText = ({ deals, isMore }: DealPoints) =>
  isMore || deals.length > listedMax
    ? `${formatCountOf(deals.length, 'deal', isMore)}; the first ${Math.min(listedMax, deals.length)} are listed. Zoom in for others.`
    : `${formatCountOf(deals.length, 'deal')}.`

function DealsOnMap({ data, ...query }: NonNullable<PointsQuery>) {
  if (data === undefined)
    return <SectionNotLoaded what="deals" query={query} className="border-t border-line p-4" />
  return (
    <div className="border-t border-line pt-3">
      <h3 className="px-4 font-medium">Deals on the map</h3>
      <p role="status" className="px-4 pb-2 text-ink-soft">
        {countText(data)}
      </p>
      <ul>
        {data.deals.slice(0, listedMax).map((deal) => (
          <li key={deal.id} className="border-t border-line">
            <Link
              href={`/deals/${deal.id}`}
              prefetch={false}
              className="flex gap-3 px-4 py-1.5 hover:bg-sunken focus-visible:-outline-offset-2"
            >
              <span className="min-w-0 flex-1 truncate">{dealTitle({ ...deal, id: BigInt(deal.id) })}</span>
              <span className="max-w-32 shrink-0 truncate text-ink-soft">{deal.stage ?? ''}</span>
            </Link>
          </li>
        ))}
      </ul>
    </div>
  )
}

function Trail({ level, goTo }: { level: Level; goTo: (place: string | null) => void }) {
  const state = level.kind === 'county' ? level.county.state : null
  const here = nameOfLevel(level)
  return (
    <nav aria-label="Place" className="flex min-h-12 flex-wrap items-center gap-x-1 px-4 py-2">
      {here === null ? (
        <h2 className="font-semibold">United States</h2>
      ) : (
        <>
          <TrailButton name="United States" onClick={() => goTo(null)} />
          {state !== null && <TrailButton name={state} onClick={() => goTo(state)} />}
          <h2 className="font-semibold">{here}</h2>
        </>
      )}
    </nav>
  )
}

const TrailButton = ({ name, onClick }: { name: string; onClick: () => void }) => (
  <>
    <button type="button" onClick={onClick} className="rounded text-accent hover:underline">
      {name}
    </button>
    <ChevronRight aria-hidden="true" className="size-4 text-ink-soft" />
  </>
)
