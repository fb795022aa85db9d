import { useState } from 'react'
import { formatCountOf } from '#app/ui/format.ts'
import { Link } from '#app/ui/link.tsx'
import { SectionFailure } from '#app/ui/states.tsx'
import type { DealPoints } from '#server/deals/map/wire.ts'
import { dealTitle } from '../deal-name.ts'

/** The deals on the map, as they are loaded; null when the map is too far away for them. */
export type PointsQuery = { data: DealPoints | undefined; error: unknown; refetch: () => unknown } | null

/** Page size of the list of deals. */
const listedMax = 50

/** Returns how many deals are on the map. */
const countText = ({ deals, isMore }: DealPoints) =>
  isMore
    ? `Showing ${formatCountOf(deals.length, 'deal')}; zoom in for the rest.`
    : `${formatCountOf(deals.length, 'deal')}.`

/** Lists the deals that are on the map, each with what marks it there. */
export function DealsOnMap({
  points: { data, error, refetch },
  mark,
}: {
  points: NonNullable<PointsQuery>
  mark: (id: string | null) => void
}) {
  const [most, setMost] = useState(listedMax)
  if (data === undefined)
    return error === null ? (
      <p role="status" className="border-t border-line px-4 py-3 text-ink-soft">
        Loading deals…
      </p>
    ) : (
      <SectionFailure error={error} retry={refetch} className="gap-2 border-t border-line p-4" />
    )
  const listed = data.deals.slice(0, most)
  return (
    <div className="border-t border-line pt-3">
      <h3 className="px-4 font-medium">Deals on the map</h3>
      <p role="status" className="px-4 pb-2 text-ink-soft">
        {countText(data)}
      </p>
      <ul>
        {listed.map((deal) => (
          <li key={deal.id} className="border-t border-line">
            <Link
              href={`/deals/${deal.id}`}
              prefetch={false}
              onFocus={() => mark(deal.id)}
              onBlur={() => mark(null)}
              onPointerEnter={() => mark(deal.id)}
              onPointerLeave={() => mark(null)}
              className="flex gap-3 px-4 py-1.5 hover:bg-sunken focus-visible:-outline-offset-2"
            >
              <span className="min-w-0 flex-1 truncate">{dealTitle({ ...deal, id: BigInt(deal.id) })}</span>
              <span className="max-w-32 shrink-0 truncate text-ink-soft">{deal.stage ?? ''}</span>
            </Link>
          </li>
        ))}
      </ul>
      {data.deals.length > most && (
        <button
          type="button"
          onClick={() => setMost(most + listedMax)}
          className="h-11 w-full border-t border-line font-medium text-accent hover:bg-sunken focus-visible:-outline-offset-2"
        >
          List {Math.min(listedMax, data.deals.length - most)} more
        </button>
      )}
    </div>
  )
}
