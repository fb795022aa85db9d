'use client'

import { getCoreRowModel, useReactTable } from '@tanstack/react-table'
import { type CSSProperties, type MouseEvent, memo, useMemo } from 'react'
import { usePartnerHref } from '#app/partner.tsx'
import { Link } from '#app/ui/link.tsx'
import { useRouter } from '#app/ui/use-router.ts'
import { dealAddress, dealTitle } from '../deal-name.ts'
import { type ColumnId, type DealsState, columnsOf, sortOf, standardSort } from '../query.ts'
import type { Row } from '../use-deals.ts'
import { cellOf } from './cell.tsx'
import { columnDefs, isAtRight, tracksOf, widthOf } from './columns.ts'
import { TableHead } from './head.tsx'
import { LoadingMore } from './loading-more.tsx'
import { useResize } from './use-resize.ts'
import type { useRows } from './use-rows.ts'

/** Pixels. */
export const rowHeights = { comfortable: 60, compact: 40 }
export const headHeight = 40

export interface DealsListProps {
  rows: Row[]
  drawn: ReturnType<typeof useRows>
  /** The number of matching deals; undefined while unknown. */
  count: number | undefined
  nowMs: number
  more: 'none' | 'loading' | 'failed'
  loadMore: () => void
}

/** Shows deals as a table that renders only the visible rows. */
export function DealsTable({
  rows,
  drawn,
  count,
  nowMs,
  more,
  loadMore,
  state,
  change,
}: DealsListProps & {
  state: DealsState
  change: (patch: Partial<{ [Name in keyof DealsState]: DealsState[Name] | null }>) => void
}) {
  const { columns: chosen, sort, density } = state
  const columns = useMemo(() => columnsOf({ columns: chosen }), [chosen])
  const defs = useMemo(() => columnDefs(columns), [columns])
  const sorting = useMemo(
    () => (sort === null ? [] : [{ id: sort.field, desc: sort.direction === 'desc' }]),
    [sort],
  )
  const { pulled, handle } = useResize((column, width) => {
    const { [column]: _, ...others } = state.widths ?? {}
    const widths = width === null ? others : { ...others, [column]: width }
    change({ widths: Object.keys(widths).length === 0 ? null : widths })
  })
  const widths = pulled === null ? (state.widths ?? {}) : { ...state.widths, [pulled.column]: pulled.width }

  const table = useReactTable<Row>({
    data: rows,
    columns: defs,
    getCoreRowModel: getCoreRowModel(),
    getRowId: ({ id }) => String(id),
    manualSorting: true,
    state: { sorting },
    onSortingChange(update) {
      const [next] = typeof update === 'function' ? update(sorting) : update
      const isStandard = next === undefined || (next.id === standardSort.field && next.desc)
      change({
        sort: isStandard
          ? null
          : { field: next.id as typeof standardSort.field, direction: next.desc ? 'desc' : 'asc' },
      })
    },
  })
  const tableRows = table.getRowModel().rows
  const tracks = tracksOf(columns, widths)

  return (
    <div
      ref={drawn.scroller}
      onKeyDown={drawn.onKeyDown}
      className="min-h-0 flex-1 overflow-auto overscroll-contain rounded-xl border border-line bg-surface"
    >
      <div
        role="table"
        aria-label="Deals"
        aria-rowcount={count === undefined ? -1 : count + 1}
        aria-colcount={columns.length}
        className="tabular-nums"
        style={
          {
            '--tracks': tracks,
            minWidth: columns.reduce((sum, column) => sum + widthOf(column, widths), 0),
          } as CSSProperties
        }
      >
        <TableHead
          headers={table.getFlatHeaders()}
          sort={sortOf(state)}
          widths={widths}
          resize={handle}
          setColumns={(next) => change({ columns: next })}
        />
        <div role="rowgroup" className="relative" style={{ height: drawn.height }}>
          {drawn.items.map(({ index, start, size }) => {
            const row = tableRows[index]
            if (row === undefined) return null
            return (
              <TableRow
                key={row.id}
                deal={row.original}
                index={index}
                top={start - drawn.start}
                height={size}
                columns={columns}
                nowMs={nowMs}
                isActive={index === drawn.at}
                isCompact={density === 'compact'}
                onFocus={drawn.onFocus}
              />
            )
          })}
        </div>
      </div>
      <LoadingMore more={more} loadMore={loadMore} />
    </div>
  )
}

const TableRow = memo(
  ({
    deal,
    index,
    top,
    height,
    columns,
    nowMs,
    isActive,
    isCompact,
    onFocus,
  }: {
    deal: Row
    index: number
    top: number
    height: number
    columns: ColumnId[]
    nowMs: number
    isActive: boolean
    isCompact: boolean
    onFocus: (index: number) => void
  }) => {
    const router = useRouter()
    const hrefOf = usePartnerHref()
    const title = dealTitle(deal)
    const address = dealAddress(deal) || 'No address yet'
    const href = `/deals/${deal.id}`

    // The name is the link. A click elsewhere in the row opens it too, unless text is selected.
    function follow(event: MouseEvent) {
      if (event.button > 1 || (event.target as Element).closest('a') !== null || !getSelection()?.isCollapsed)
        return
      if (event.button === 1 || event.ctrlKey || event.metaKey)
        window.open(hrefOf(href), '_blank', 'noopener')
      else router.push(href)
    }

    return (
      <div
        role="row"
        onClick={follow}
        onAuxClick={follow}
        aria-rowindex={index + 2}
        data-index={index}
        style={{ height, transform: `translateY(${top}px)` }}
        className="group/row absolute inset-x-0 top-0 grid cursor-pointer grid-cols-(--tracks) border-b border-line hover:bg-sunken/60 has-focus-visible:bg-sunken"
      >
        {columns.map((column) =>
          column === 'dealname' ? (
            <div
              key={column}
              role="cell"
              className="sticky left-0 z-10 flex min-w-0 flex-col justify-center bg-surface px-4 group-hover/row:bg-[color-mix(in_srgb,var(--sunken)_60%,var(--surface))] group-has-focus-visible/row:bg-sunken"
            >
              <Link
                href={href}
                prefetch={false}
                tabIndex={isActive ? 0 : -1}
                onFocus={() => onFocus(index)}
                title={isCompact ? `${title}\n${address}` : title}
                className="truncate font-medium outline-none group-hover/row:underline group-hover/row:underline-offset-2 focus-visible:before:absolute focus-visible:before:inset-y-0 focus-visible:before:left-0 focus-visible:before:w-1 focus-visible:before:bg-accent"
              >
                {title}
              </Link>
              {!isCompact && (
                <p title={address} className="truncate text-ink-soft">
                  {address}
                </p>
              )}
            </div>
          ) : (
            <div
              key={column}
              role="cell"
              className={`flex min-w-0 items-center px-4 ${isAtRight(column) ? 'justify-end' : ''} ${column === 'amount' ? 'font-medium' : ['stage', 'milestone'].includes(column) ? '' : 'text-ink-soft'}`}
            >
              <span className="min-w-0 truncate">{cellOf(column, deal, nowMs)}</span>
            </div>
          ),
        )}
      </div>
    )
  },
)
