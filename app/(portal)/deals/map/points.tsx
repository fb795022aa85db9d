import { useMemo } from 'react'
import { formatDollars } from '#app/ui/format.ts'
import { useRouter } from '#app/ui/link.tsx'
import type { DealPoint } from '#server/deals/map/wire.ts'
import { dealTitle } from '../deal-name.ts'
import { pointOnMap } from './shapes.ts'

/** Shows deals where they are; each leads to its page. */
export function Points({
  deals,
  scale,
  marked,
  point,
}: {
  deals: DealPoint[]
  scale: number
  /** The id of the deal that is focused in the list. */
  marked: string | null
  point: (text: string | null) => void
}) {
  const { push } = useRouter()
  const placed = useMemo(
    () => deals.map((deal) => ({ deal, at: pointOnMap(deal.longitude, deal.latitude) })),
    [deals],
  )
  // What is marked is drawn last, above the others.
  const ordered =
    marked === null ? placed : placed.toSorted((a, b) => isMarked(a, marked) - isMarked(b, marked))
  return ordered.map(
    ({ deal, at }) =>
      at !== null && (
        <circle
          key={deal.id}
          cx={at[0]}
          cy={at[1]}
          r={(deal.id === marked ? 9 : 5) / scale}
          fill="var(--accent-strong)"
          stroke={deal.id === marked ? 'var(--ink)' : 'var(--surface)'}
          strokeWidth={deal.id === marked ? 3 : 1}
          data-marked={deal.id === marked || undefined}
          vectorEffect="non-scaling-stroke"
          onPointerEnter={() => point(pointText(deal))}
          onClick={() => push(`/deals/${deal.id}`)}
          className="cursor-pointer"
        />
      ),
  )
}

const isMarked = ({ deal }: { deal: DealPoint }, marked: string) => Number(deal.id === marked)

const pointText = (deal: DealPoint) =>
  [
    dealTitle({ ...deal, id: BigInt(deal.id) }),
    deal.stage,
    deal.amount === null ? null : formatDollars(deal.amount),
  ]
    .filter(Boolean)
    .join(' · ')
