import { useMemo } from 'react'
import { formatDollars } from '#app/ui/format.ts'
import { useRouter } from '#app/ui/use-router.ts'
import type { DealPoint } from '#server/deals/map/wire.ts'
import { dealTitle } from '../deal-name.ts'
import { pointOnMap } from './shapes.ts'

/** Shows deals where they are; each leads to its page. */
export function Points({
  deals,
  scale,
  point,
}: {
  deals: DealPoint[]
  scale: number
  point: (text: string | null) => void
}) {
  const { push } = useRouter()
  const placed = useMemo(
    () => deals.map((deal) => ({ deal, at: pointOnMap(deal.longitude, deal.latitude) })),
    [deals],
  )
  return placed.map(
    ({ deal, at }) =>
      at !== null && (
        <circle
          key={deal.id}
          cx={at[0]}
          cy={at[1]}
          r={5 / scale}
          fill="var(--accent-strong)"
          stroke="var(--surface)"
          strokeWidth="1"
          vectorEffect="non-scaling-stroke"
          onPointerEnter={() => point(pointText(deal))}
          onClick={() => push(`/deals/${deal.id}`)}
          className="cursor-pointer"
        />
      ),
  )
}

const pointText = (deal: DealPoint) =>
  [
    dealTitle({ ...deal, id: BigInt(deal.id) }),
    deal.stage,
    deal.amount === null ? null : formatDollars(deal.amount),
  ]
    .filter(Boolean)
    .join(' · ')
