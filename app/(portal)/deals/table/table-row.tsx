'use client'

import { type MouseEvent, memo } from 'react'
import { usePartnerHref } from '#app/partner.tsx'
import { Link, useRouter } from '#app/ui/link.tsx'
import { useFormat } from '#app/ui/times.tsx'
import { dealAddress, dealTitle } from '../deal-name.ts'
import type { ColumnId } from '../query.ts'
import type { Row } from '../use-deals.ts'
import { cellOf } from './cell.tsx'
import { isAtRight } from './columns.ts'

interface TableRowProps {
  deal: Row
  index: number
  /** Pixels, as the height. */
  top: number
  height: number
  columns: ColumnId[]
  nowMs: number
  /** Whether the Tab key leads to this row. */
  isActive: boolean
  isCompact: boolean
  /** Whether the rows from here on are similar to the search only. */
  isFirstSimilar: boolean
  onFocus: (index: number) => void
}

/** Shows a deal as a row of the table. */
export const TableRow = memo((props: TableRowProps) => {
  const format = useFormat()
  const { deal, index, top, height, columns, nowMs, isFirstSimilar, onFocus } = props
  const follow = useFollow(`/deals/${deal.id}`, () => onFocus(index))
  return (
    <div
      role="row"
      onClick={follow}
      onAuxClick={follow}
      aria-rowindex={index + 2}
      data-index={index}
      style={{ height, transform: `translateY(${top}px)` }}
      className={`group/row absolute inset-x-0 top-0 grid cursor-pointer grid-cols-(--tracks) border-b border-line hover:bg-sunken/60 has-focus-visible:bg-sunken print:static print:h-auto! print:transform-none! print:break-inside-avoid print:grid-cols-(--print-tracks) ${isFirstSimilar ? firstSimilar : ''}`}
    >
      {columns.map((column) =>
        column === 'dealname' ? (
          <NameCell key={column} {...props} />
        ) : (
          <div
            key={column}
            role="cell"
            className={`flex min-w-0 items-center px-4 print:px-1.5 ${isAtRight(column) ? 'justify-end' : ''} ${looks[column] ?? 'text-ink-soft'}`}
          >
            <span className="min-w-0 truncate print:whitespace-normal">
              {cellOf(column, deal, nowMs, format)}
            </span>
          </div>
        ),
      )}
    </div>
  )
})

/** The style of the line between exact matches and similar ones. */
const firstSimilar = 'border-t-2 border-t-accent'

/** The style of the cells that are not soft. */
const looks: Partial<Record<ColumnId, string>> = { amount: 'font-medium', stage: '', milestone: '' }

/** Returns the handler of clicks in a row. Its name is the link; a click elsewhere opens it too, unless text is selected. */
function useFollow(href: string, onFollow: () => void) {
  const router = useRouter()
  const hrefOf = usePartnerHref()
  return (event: MouseEvent) => {
    if (event.button > 1 || (event.target as Element).closest('a') !== null || !getSelection()?.isCollapsed)
      return
    if (event.button === 1 || event.ctrlKey || event.metaKey) window.open(hrefOf(href), '_blank', 'noopener')
    else {
      onFollow()
      router.push(href)
    }
  }
}

function NameCell({
  deal,
  index,
  isActive,
  isCompact,
  onFocus,
}: Pick<TableRowProps, 'deal' | 'index' | 'isActive' | 'isCompact' | 'onFocus'>) {
  const title = dealTitle(deal)
  const address = dealAddress(deal) || 'No address'
  return (
    <div
      role="cell"
      className="sticky left-0 z-10 flex min-w-0 flex-col justify-center bg-surface px-4 print:static print:px-1.5 print:py-1 group-hover/row:bg-[color-mix(in_srgb,var(--sunken)_60%,var(--surface))] group-has-focus-visible/row:bg-sunken"
    >
      <Link
        href={`/deals/${deal.id}`}
        prefetch={false}
        tabIndex={isActive ? 0 : -1}
        onFocus={() => onFocus(index)}
        title={isCompact ? `${title}\n${address}` : title}
        className="truncate font-medium outline-none print:whitespace-normal group-hover/row:underline group-hover/row:underline-offset-2 focus-visible:before:absolute focus-visible:before:inset-y-0 focus-visible:before:left-0 focus-visible:before:w-1 focus-visible:before:bg-accent"
      >
        {title}
      </Link>
      {!isCompact && (
        <p title={address} className="truncate text-ink-soft print:whitespace-normal">
          {address}
        </p>
      )}
    </div>
  )
}
