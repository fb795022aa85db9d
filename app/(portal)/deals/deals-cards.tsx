'use client'

import { Link } from '#app/ui/link.tsx'
import { useFormat } from '#app/ui/times.tsx'
import type { FoundRow } from '#server/search/router.ts'
import { cardGap, cardHeight } from './columns.ts'
import { UnseenMark } from './deal-marks.tsx'
import { dealAddress, dealTitle } from './deal-text.ts'
import { dimmed, ChooseBox, cellOf } from './deals-table.tsx'
import type { DealsList } from './use-deals-list.ts'

/** Shows deals as cards in narrow windows. */
export function DealsCards({ rows, drawn, isBehind, ...list }: DealsList) {
  return (
    <ul
      aria-label="Deals"
      aria-busy={isBehind}
      className={`relative tabular-nums print:h-auto! ${isBehind ? dimmed : ''}`}
      style={{ height: drawn.height }}
    >
      {drawn.items.map(({ index, start }) => {
        const deal = rows[index]
        if (deal === undefined) return null
        return (
          <li
            key={String(deal.id)}
            aria-setsize={list.count ?? -1}
            aria-posinset={index + 1}
            data-index={index}
            style={{ height: cardHeight - cardGap, transform: `translateY(${start}px)` }}
            className={`${index > 0 && index === list.similarFrom ? 'border-t-2 border-t-accent' : ''} absolute inset-x-0 top-0 flex flex-col justify-between print:static print:mb-2 print:h-auto! print:transform-none! print:break-inside-avoid rounded-xl border border-line bg-surface px-4 py-3 has-focus-visible:outline-2 has-focus-visible:-outline-offset-1 has-focus-visible:outline-accent`}
          >
            <CardContent
              deal={deal}
              index={index}
              nowMs={list.nowMs}
              onFocus={drawn.onFocus}
              chosen={list.chosen}
            />
          </li>
        )
      })}
    </ul>
  )
}

function CardContent({
  deal,
  index,
  nowMs,
  onFocus,
  chosen: { ids, choose, isChoosing },
}: {
  deal: FoundRow
  index: number
  onFocus: (index: number) => void
} & Pick<DealsList, 'nowMs' | 'chosen'>) {
  const format = useFormat()
  return (
    <>
      <div className="min-w-0">
        <div className="flex items-baseline justify-between gap-3">
          <Link
            href={`/deals/${deal.id}`}
            prefetch={false}
            onFocus={() => onFocus(index)}
            onNavigate={(event) => {
              if (!isChoosing) return
              event.preventDefault()
              choose(index)
            }}
            className="min-w-0 truncate font-medium outline-none after:absolute after:inset-0"
          >
            {deal.isUnseen && <UnseenMark className="mr-2 inline-block size-2 align-middle" />}
            {dealTitle(deal)}
          </Link>
          <span className="flex shrink-0 items-center gap-2 font-medium">
            {cellOf('amount', deal, nowMs, format)}
            {isChoosing && (
              <ChooseBox
                deal={deal}
                index={index}
                isChosen={ids.has(String(deal.id))}
                onChoose={choose}
                className="relative size-5"
              />
            )}
          </span>
        </div>
        <p className="truncate text-ink-soft">
          {[deal.partner, dealAddress(deal) || 'No address'].filter(Boolean).join(' · ')}
        </p>
      </div>
      <div className="flex items-center gap-3">
        <div className="min-w-0">{cellOf('stage', deal, nowMs, format)}</div>
        <span className="shrink-0 text-ink-soft">{cellOf('timeInCurrentStage', deal, nowMs, format)}</span>
      </div>
      <div className="min-h-lh truncate text-ink-soft">
        {deal.milestone?.kind !== 'unknown' && cellOf('milestone', deal, nowMs, format)}
      </div>
    </>
  )
}
