'use client'

import { PanelRight, Check, ArrowDown, ArrowUp } from 'lucide-react'
import { type MouseEvent, memo, type ReactNode, type CSSProperties, useMemo } from 'react'
import { IconButton } from '#app/ui/button.tsx'
import { type Format, formatDollars } from '#app/ui/format.ts'
import { Link, useRouter } from '#app/ui/link.tsx'
import { usePartnerHref } from '#app/ui/partner.tsx'
import { useFormat } from '#app/ui/times.tsx'
import { useViewer } from '#app/ui/viewer.tsx'
import type { DealField } from '#server/deals/deal.ts'
import { blockerText, responsibleText, responsibleTitle } from '#server/deals/labels.ts'
import type { FoundRow } from '#server/search/router.ts'
import type { DealSort, SortField } from '#server/search/wire.ts'
import {
  derivedColumn,
  isAtRight,
  columnLabel,
  sortAfter,
  sortTitle,
  tracksOf,
  widthOf,
  type ColumnId,
  columnsOf,
  isSortable,
} from './columns.ts'
import { InStage, NextStepLine, TimeText, UnseenMark } from './deal-marks.tsx'
import { dealAddress, dealTitle } from './deal-text.ts'
import { dollarsOf, personName, sizeText, fieldLabels, isDuration } from './fields.ts'
import { sortOf } from './query.ts'
import { StageBadge } from './stages-of-page.tsx'
import type { DealsList } from './use-deals-list.ts'
import { type DealsQuery, type Peek, useMedia } from './use-deals-state.ts'
import { focusRow } from './use-rows.ts'

/** Dims rows of the previous query. The delay avoids flicker when the response is fast. */
export const dimmed = 'opacity-60 transition-opacity delay-200'

/** Shows deals as a table that only renders visible rows. */
export function DealsTable({
  list,
  peek,
  state,
  change,
}: Pick<DealsQuery, 'state' | 'change'> & { list: DealsList; peek: Peek }) {
  const { seesAllPartners } = useViewer()
  const isTight = useMedia('(max-width: 99.99rem)', true) && peek.id !== null
  const columns = useMemo(() => {
    const all = columnsOf({ columns: state.columns, sort: state.sort }, seesAllPartners)
    return isTight ? all.filter((column) => !isInPreview.has(column)) : all
  }, [state.columns, state.sort, seesAllPartners, isTight])
  return (
    <div
      role="table"
      aria-label="Deals"
      aria-rowcount={list.count === undefined ? -1 : list.count + 1}
      aria-colcount={columns.length}
      className="tabular-nums print:min-w-0! print:text-[8pt]"
      style={styleOf(columns)}
    >
      <TableHead
        columns={columns}
        sort={sortOf(state)}
        sortBy={(field) => change({ sort: sortAfter(state.sort, field) })}
      />
      <TableBody list={list} columns={columns} isCompact={state.density === 'compact'} peek={peek} />
    </div>
  )
}

/** Columns that are hidden beside a preview, which shows the same, so that names keep their space. */
const isInPreview: ReadonlySet<ColumnId> = new Set(['milestone', 'held', 'holder', 'payment'])

const styleOf = (columns: ColumnId[]) =>
  ({
    '--tracks': tracksOf(columns),
    '--print-tracks': columns.map((column) => `minmax(0, ${widthOf(column)}fr)`).join(' '),
    minWidth: columns.reduce((total, column) => total + widthOf(column), 0),
  }) as CSSProperties

function TableBody({
  list: { rows, drawn, similarFrom, nowMs, isBehind, chosen },
  columns,
  isCompact,
  peek,
}: {
  list: DealsList
  columns: ColumnId[]
  isCompact: boolean
  peek: Peek
}) {
  return (
    <div
      role="rowgroup"
      aria-busy={isBehind}
      className={`relative print:h-auto! ${isBehind ? dimmed : ''}`}
      style={{ height: drawn.height }}
    >
      {drawn.items.map(({ index, start, size }) => {
        const deal = rows[index]
        if (deal === undefined) return null
        return (
          <TableRow
            key={String(deal.id)}
            deal={deal}
            index={index}
            top={start - drawn.start}
            height={size}
            columns={columns}
            nowMs={nowMs}
            isActive={index === drawn.at}
            isCompact={isCompact}
            isFirstSimilar={index > 0 && index === similarFrom}
            onFocus={drawn.onFocus}
            isChosen={chosen.ids.has(String(deal.id))}
            onChoose={chosen.choose}
            isPeeked={peek.id === String(deal.id)}
            onPeek={peek.show}
          />
        )
      })}
    </div>
  )
}

const sortedAs = { asc: 'ascending', desc: 'descending' } as const

/** Returns the displayed direction, reversed for durations: the earliest start is the longest time. */
const shownAs = (id: ColumnId, direction: DealSort['direction']) =>
  isDuration(id) === (direction === 'asc') ? 'desc' : 'asc'

function TableHead({
  columns,
  sort,
  sortBy,
}: {
  columns: ColumnId[]
  sort: DealSort
  sortBy: (field: SortField) => void
}) {
  return (
    <div role="rowgroup" className="sticky top-0 z-20 print:static">
      <div
        role="row"
        aria-rowindex={1}
        className="grid h-10 grid-cols-(--tracks) border-b border-line bg-surface print:grid-cols-(--print-tracks)"
      >
        {columns.map((id) => {
          const direction = sort.field === id ? sort.direction : null
          return (
            <div
              key={id}
              role="columnheader"
              aria-label={columnLabel(id)}
              aria-sort={direction === null ? undefined : sortedAs[shownAs(id, direction)]}
              className={`group/head relative flex min-w-0 items-center text-xs font-medium text-ink-soft ${id === 'dealname' ? 'sticky left-0 z-20 bg-surface print:static' : ''}`}
            >
              <Title id={id} direction={direction} sortBy={sortBy} />
            </div>
          )
        })}
      </div>
    </div>
  )
}

function Title({
  id,
  direction,
  sortBy,
}: {
  id: ColumnId
  direction: DealSort['direction'] | null
  sortBy: (field: SortField) => void
}) {
  const label = columnLabel(id)
  if (!isSortable(id))
    return (
      <span
        title={label}
        className={`flex-1 truncate px-4 print:px-1.5 ${isAtRight(id) ? 'text-right' : ''}`}
      >
        {label}
      </span>
    )
  const Arrow = shownAs(id, direction ?? 'asc') === 'desc' ? ArrowDown : ArrowUp
  return (
    <button
      type="button"
      title={sortTitle(id, direction)}
      onClick={() => sortBy(id)}
      className={`flex h-full min-w-0 flex-1 items-center gap-1 pr-4 print:px-1.5 -outline-offset-2 hover:text-ink ${id === 'dealname' ? 'pl-9' : 'pl-4'} ${isAtRight(id) ? 'flex-row-reverse' : ''} ${direction === null ? '' : 'text-ink'}`}
    >
      <span className="truncate">{label}</span>
      <Arrow
        aria-hidden="true"
        className={`size-3.5 shrink-0 ${direction === null ? 'opacity-0 group-hover/head:opacity-60' : ''}`}
      />
    </button>
  )
}

interface TableRowProps {
  deal: FoundRow
  index: number
  top: number
  height: number
  columns: ColumnId[]
  nowMs: number
  isActive: boolean
  isCompact: boolean
  isFirstSimilar: boolean
  onFocus: (index: number) => void
  isChosen: boolean
  onChoose: (index: number, isRange?: boolean) => void
  isPeeked: boolean
  onPeek: (id: string) => void
}

const TableRow = memo((props: TableRowProps) => {
  const format = useFormat()
  const { deal, index, top, height, columns, nowMs, isFirstSimilar, onFocus } = props
  const { isChosen, onChoose, isPeeked } = props
  const follow = useFollow(`/deals/${deal.id}`, () => onFocus(index))
  return (
    <div
      role="row"
      onClick={follow}
      onClickCapture={(event) => extendBy(event, () => onChoose(index, true))}
      onAuxClick={follow}
      aria-selected={isChosen}
      data-peeked={isPeeked || undefined}
      aria-rowindex={index + 2}
      data-index={index}
      style={{ height, transform: `translateY(${top}px)` }}
      className={`group/row absolute inset-x-0 top-0 grid cursor-pointer grid-cols-(--tracks) border-b border-line hover:bg-sunken/60 has-focus-visible:bg-sunken aria-selected:bg-[color-mix(in_srgb,var(--info-soft)_50%,var(--surface))] data-peeked:bg-sunken print:static print:h-auto! print:transform-none! print:break-inside-avoid print:grid-cols-(--print-tracks) ${isFirstSimilar ? firstSimilar : ''}`}
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
              {cellOf(column, deal, nowMs, format) || <span className="text-ink-soft">–</span>}
            </span>
          </div>
        ),
      )}
    </div>
  )
})

const firstSimilar = 'border-t-2 border-t-accent'

const looks: Partial<Record<ColumnId, string>> = { amount: 'font-medium', stage: '', milestone: '' }

/** Returns a click handler for a row. A click anywhere in the row opens the deal, unless text is selected. */
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

/** Selects rows with Shift+click. Prevents the browser from opening a window or selecting text. */
function extendBy(event: MouseEvent, extend: () => void) {
  if (!event.shiftKey || event.target instanceof HTMLInputElement) return
  event.preventDefault()
  event.stopPropagation()
  getSelection()?.removeAllRanges()
  extend()
}

function NameCell({
  deal,
  index,
  isActive,
  isCompact,
  onFocus,
  isChosen,
  onChoose,
  onPeek,
}: Omit<TableRowProps, 'top' | 'height' | 'columns' | 'nowMs'>) {
  const title = dealTitle(deal)
  const address = dealAddress(deal) || 'No address'
  return (
    <div
      role="cell"
      className="sticky left-0 z-10 flex min-w-0 flex-col justify-center bg-surface pr-4 pl-9 print:static print:px-1.5 print:py-1 group-hover/row:bg-[color-mix(in_srgb,var(--sunken)_60%,var(--surface))] group-has-focus-visible/row:bg-sunken group-aria-selected/row:bg-[color-mix(in_srgb,var(--info-soft)_50%,var(--surface))] group-data-peeked/row:bg-sunken"
    >
      <ChooseBox
        deal={deal}
        index={index}
        isChosen={isChosen}
        onChoose={onChoose}
        className="absolute left-3 opacity-0 group-hover/row:opacity-100 group-has-focus-visible/row:opacity-100 checked:opacity-100 pointer-coarse:opacity-100"
      />
      {deal.isUnseen && (
        <UnseenMark className="absolute left-4 size-2 group-hover/row:opacity-0 group-has-focus-visible/row:opacity-0 group-aria-selected/row:opacity-0 pointer-coarse:left-1 pointer-coarse:size-1.5" />
      )}
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
      <IconButton
        icon={PanelRight}
        label={`Peek at ${title}`}
        title="Peek (Space)"
        tabIndex={-1}
        onClick={(event) => {
          event.stopPropagation()
          focusRow(event.currentTarget)
          onPeek(String(deal.id))
        }}
        className="absolute right-1 size-7 rounded-md bg-surface opacity-0 group-hover/row:opacity-100 focus-visible:opacity-100 print:hidden"
      />
      {!isCompact && (
        <p title={address} className="truncate text-ink-soft print:whitespace-normal">
          {address}
        </p>
      )}
    </div>
  )
}

/** Renders the cell of a deal for any column except the deal's name. Durations end at `nowMs`. */
export function cellOf(column: ColumnId, deal: FoundRow, nowMs: number, format: Format): ReactNode {
  switch (column) {
    case 'milestone':
      return deal.milestone && <NextStepLine step={deal.milestone} nowMs={nowMs} />
    case 'held':
      return blockerText(deal.held)
    case 'holder':
      return (
        deal.held?.holder && (
          <span
            title={responsibleTitle(deal.held)}
            className={deal.held.name === null ? 'text-ink-soft' : ''}
          >
            {responsibleText(deal.held)}
          </span>
        )
      )
    case 'partner':
      return deal.partner ?? <span className="text-ink-soft">None</span>
    case 'stage':
      return deal.stage ? <StageBadge stage={deal.stage} /> : <span className="text-ink-soft">No stage</span>
    case 'timeInCurrentStage':
      return (deal.timeInCurrentStage ?? deal.seenAt) && <InStage deal={deal} nowMs={nowMs} />
    case 'lastModified':
    case 'notesLastUpdated':
      return deal[column] && <TimeText time={deal[column]} text={format.formatAgo(deal[column], nowMs)} />
    case 'systemSize':
      return sizeText(deal.systemSize ?? null)
    case 'amount':
    case 'adderCost':
      return deal[column] != null && formatDollars(deal[column])
    default: {
      const derived = derivedColumn(column)
      if (derived !== undefined) return derived.text(deal, format.zone)
      return valueOf(column as DealField, deal, nowMs, format)
    }
  }
}

function valueOf(field: DealField, deal: FoundRow, nowMs: number, format: Format): ReactNode {
  const value = deal[field]
  if (value === null || value === undefined) return null
  if (typeof value === 'boolean')
    return value ? (
      <span className="flex items-center gap-1">
        <Check aria-hidden="true" className="size-4 text-accent" />
        Yes
      </span>
    ) : (
      <span className="text-ink-soft">No</span>
    )
  if (typeof value === 'object') return personName(value)
  if (fieldLabels[field].kind === 'time')
    return <TimeText time={String(value)} text={format.formatDay(String(value), nowMs)} />
  return fieldLabels[field].kind === 'double' ? dollarsOf(Number(value)) : String(value)
}

export function ChooseBox({
  deal,
  index,
  isChosen,
  onChoose,
  className,
}: {
  deal: FoundRow
  index: number
  isChosen: boolean
  onChoose: (index: number, isRange?: boolean) => void
  className: string
}) {
  return (
    <input
      type="checkbox"
      // Not in the tab order: arrow keys move between rows, and X selects a row.
      tabIndex={-1}
      aria-label={`Select ${dealTitle(deal)}`}
      checked={isChosen}
      onChange={({ nativeEvent }) => onChoose(index, (nativeEvent as globalThis.MouseEvent).shiftKey)}
      onClick={(event) => {
        event.stopPropagation()
        focusRow(event.currentTarget)
      }}
      className={`size-4 accent-accent print:hidden ${className}`}
    />
  )
}
