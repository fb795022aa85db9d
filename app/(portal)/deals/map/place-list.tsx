import { formatCount, formatCountOf, formatDollars, formatDollarsShort } from '#app/ui/format.ts'
import { Link } from '#app/ui/link.tsx'
import type { DealMap } from '#server/deals/map/wire.ts'
import { type DealsState, dealsHref } from '../query.ts'
import { type PointsQuery, DealsOnMap } from './deals-on-map.tsx'
import { type Level, type PlaceFigure, isDrawn, listedPlaces } from './places.ts'
import { Trail } from './trail.tsx'

/** Lists the states, the counties of a state or the deals of a county, each with what leads to it. */
export function PlaceList({
  map,
  level,
  state,
  goTo,
  points,
  mark,
}: {
  map: DealMap
  level: Level
  state: DealsState
  goTo: (place: string | null) => void
  points: PointsQuery
  /** Marks a deal on the map; null marks none. */
  mark: (id: string | null) => void
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
        <PlaceHead title={level.kind === 'country' ? 'State' : 'County'} />
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
      {points !== null && <DealsOnMap points={points} mark={mark} />}
    </section>
  )
}

const PlaceHead = ({ title }: { title: string }) => (
  <thead className="text-xs text-ink-soft">
    <tr>
      {[title, 'Deals', 'Amount'].map((each, index) => (
        <th
          key={each}
          scope="col"
          className={`px-2 py-1.5 font-medium first:pl-4 last:pr-4 ${index === 0 ? 'text-left' : ''}`}
        >
          {each}
        </th>
      ))}
    </tr>
  </thead>
)

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
            className="rounded text-left hover:underline"
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
          className="rounded font-medium text-accent hover:underline"
        >
          {formatCount(count, isMore)}
        </Link>
      </td>
      <td className="py-1.5 pr-4 pl-2 text-ink-soft" title={formatDollars(amount)}>
        {isMore ? (
          '–'
        ) : (
          <Link href={href} prefetch={false} tabIndex={-1} className="rounded hover:underline">
            {formatDollarsShort(amount)}
          </Link>
        )}
      </td>
    </tr>
  )
}
