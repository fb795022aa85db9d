'use client'

import { keepPreviousData } from '@tanstack/react-query'
import { ArrowDown, ArrowUp } from 'lucide-react'
import type { Key, ReactNode } from 'react'
import { Button } from './button.tsx'
import { SelectField } from './fields.tsx'
import { type Query, QueryState } from './states.tsx'
import { useVisibleAt } from './times.tsx'

/** Options of a query that loads a list page by page. Keeps showing rows while another filter loads. */
export const pageByPage = {
  getNextPageParam: <Next,>({ next }: { next: Next }) => next,
  placeholderData: keepPreviousData,
}

/** Returns the loaded rows of a list, and when they were loaded. */
export function useList<Page, Row, Found extends Parameters<typeof useVisibleAt>[0]>(
  found: Found & { data: { pages: Page[] } | undefined },
  rowsOf: (page: Page) => Row[],
) {
  return { ...found, rows: found.data?.pages.flatMap(rowsOf), nowMs: useVisibleAt(found) }
}

interface Pages {
  hasNextPage: boolean
  isFetchingNextPage: boolean
  fetchNextPage: () => Promise<unknown>
}

/** Shows the loaded rows of a list, or `empty` if there are none. */
export function ListState<Row, Failure>({
  what,
  list,
  empty,
  children,
}: {
  what: string
  list: Query<Failure> & Pages & { rows: Row[] | undefined }
  empty: ReactNode
  children: (rows: Row[]) => ReactNode
}) {
  return (
    <QueryState what={what} query={list} data={list.rows}>
      {(rows) =>
        rows.length === 0 ? (
          empty
        ) : (
          <>
            {children(rows)}
            <ShowMore list={list} />
          </>
        )
      }
    </QueryState>
  )
}

/** Shows a button that loads the next page of a list. Renders nothing on the last page. */
export function ShowMore({ list: { hasNextPage, isFetchingNextPage, fetchNextPage } }: { list: Pages }) {
  if (!hasNextPage) return null
  return (
    <div className="mt-4 flex justify-center">
      <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
        Show more
      </Button>
    </div>
  )
}

/** A column of a list. The first column is the row's header. */
export interface ListColumn<Row> {
  /** Title of the column and, in narrow windows, of its cells. May be for screen readers only. */
  title: string
  isTitleHidden?: boolean
  isNumber?: boolean
  /** In narrow windows, shows a number on its own line. */
  isAlone?: boolean
  /** In narrow windows, shows the title above the cell, which takes the full width. */
  isStacked?: boolean
  /** Makes the column sortable. `direction` is null if the list is sorted by another column. */
  sort?: { direction: 'asc' | 'desc' | null; onSort: () => void }
  cell: (row: Row) => ReactNode
}

/** The columns of a list; false leaves one out. */
export type ListColumns<Row> = readonly (ListColumn<Row> | false)[]

const isNothing = (content: ReactNode) =>
  content === '' || content === null || content === undefined || content === false

/** Style of a row that is covered by its first link. Other links and buttons stay clickable. */
const linked =
  'relative has-[td:first-child_a:hover]:bg-sunken/60 [&_td:first-child_a]:after:absolute [&_td:first-child_a]:after:inset-0 [&_td:not(:first-child)_:is(a,button)]:relative [&_td:not(:first-child)_:is(a,button)]:z-1'

const dense = 'sm:max-[90rem]:[&_:is(td,th)]:px-2'

// Explicit roles are needed, because some browsers drop table semantics if `display` is changed.
/** Shows a list as a table; in narrow windows each row is a card, with two numbers per line. */
export function ListTable<Row>({
  label,
  columns: optional,
  rows,
  keyOf,
  isLinked = false,
}: {
  label: string
  columns: ListColumns<Row>
  rows: readonly Row[]
  keyOf: (row: Row) => Key
  /** True if a click anywhere in a row opens the link in the first cell. */
  isLinked?: boolean
}) {
  const columns = optional.filter((column) => column !== false)
  const isWide = columns.length > 8
  // A single number gets no special layout.
  const isPaired = columns.filter(({ isNumber }) => isNumber).length > 1
  return (
    // `relative` keeps hidden text for screen readers inside the scrolling area, so that the page does not
    // get wider.
    <div className="relative overflow-x-auto rounded-xl border border-line bg-surface">
      <SortField columns={columns} />
      <table role="table" aria-label={label} className={`w-full max-sm:block ${isWide ? dense : ''}`}>
        <thead role="rowgroup" className="max-sm:sr-only">
          <tr role="row">
            {columns.map((column) => (
              <ColumnHead key={column.title} {...column} />
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup" className="max-sm:block">
          {rows.map((row) => (
            <tr
              key={keyOf(row)}
              role="row"
              className={`border-t border-line max-sm:relative max-sm:grid max-sm:grid-cols-2 max-sm:gap-x-5 max-sm:px-4 max-sm:py-3 max-sm:first:border-t-0 ${isLinked ? linked : ''}`}
            >
              {columns.map((column, index) => (
                <Cell
                  key={column.title}
                  column={column}
                  content={column.cell(row)}
                  isFirst={index === 0}
                  isPaired={isPaired && column.isNumber === true && !column.isAlone}
                />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Shows a cell. `isPaired` is true if two numbers share a line of the card. */
function Cell({
  column: { title, isTitleHidden = false, isNumber = false, isStacked = false },
  content,
  isFirst,
  isPaired,
}: {
  column: Omit<ListColumn<never>, 'cell'>
  content: ReactNode
  isFirst: boolean
  isPaired: boolean
}) {
  const isLabelled = !isFirst && !isTitleHidden
  const line = isStacked
    ? 'max-sm:flex max-sm:flex-col max-sm:gap-1'
    : 'max-sm:flex max-sm:items-baseline max-sm:gap-2'
  const inCard = isLabelled && isNothing(content) ? 'max-sm:hidden' : line
  return (
    <td
      role={isFirst ? 'rowheader' : 'cell'}
      className={`px-3 py-3 align-baseline sm:first:pl-4 ${inCard} max-sm:px-0 max-sm:py-1 ${isNumber ? 'sm:text-right tabular-nums' : ''} ${isPaired ? 'max-sm:text-right' : 'max-sm:col-span-2'} ${isFirst ? 'font-medium max-sm:[tr:has([aria-haspopup=menu])>&]:pr-11' : ''}`}
    >
      {isLabelled && (
        <span
          aria-hidden="true"
          className={`text-ink-soft sm:hidden ${isPaired ? 'min-w-0 flex-1 text-left' : 'w-32 shrink-0'}`}
        >
          {title}
        </span>
      )}
      <div
        className={`min-w-0 ${isNumber ? 'whitespace-nowrap' : 'wrap-anywhere max-sm:flex-1'} ${isFirst ? 'sm:min-w-44' : ''} ${isLabelled && !isNumber ? 'sm:min-w-18' : ''}`}
      >
        {content}
      </div>
    </td>
  )
}

function SortField({ columns }: { columns: readonly Omit<ListColumn<never>, 'cell'>[] }) {
  const sortable = columns.filter(({ sort }) => sort !== undefined)
  if (sortable.length === 0) return null
  const current = sortable.find(({ sort }) => sort!.direction !== null)
  const isAscending = current?.sort?.direction === 'asc'
  const Arrow = isAscending ? ArrowUp : ArrowDown
  return (
    <div className="flex items-center gap-2 border-b border-line px-4 py-3 sm:hidden">
      <SelectField
        label="Sort by"
        isLabelShown={false}
        choices={sortable.map(({ title }) => ({ value: title, label: `Sort by ${title.toLowerCase()}` }))}
        value={current?.title}
        onChange={({ target }) => sortable.find(({ title }) => title === target.value)?.sort?.onSort()}
        className="flex-1"
      />
      <Button
        onClick={() => current?.sort?.onSort()}
        aria-label={isAscending ? 'Sort descending' : 'Sort ascending'}
        className="h-11 px-3!"
      >
        <Arrow aria-hidden="true" className="size-4" />
      </Button>
    </div>
  )
}

function ColumnHead({ title, isTitleHidden, isNumber, sort }: Omit<ListColumn<never>, 'cell'>) {
  const Arrow = sort?.direction === 'asc' ? ArrowUp : ArrowDown
  return (
    <th
      role="columnheader"
      scope="col"
      aria-sort={sort?.direction ? `${sort.direction}ending` : undefined}
      className={`px-3 py-2.5 text-xs first:pl-4 font-medium text-ink-soft ${isNumber ? 'text-right' : 'text-left'}`}
    >
      {sort === undefined ? (
        <span className={isTitleHidden ? 'sr-only' : undefined}>{title}</span>
      ) : (
        <>
          <span className="sm:hidden">{title}</span>
          <button
            type="button"
            onClick={sort.onSort}
            className="inline-flex touch items-center gap-1 [text-align:inherit] hover:text-ink max-sm:hidden"
          >
            {title}
            {sort.direction !== null && <Arrow aria-hidden="true" className="size-3" />}
          </button>
        </>
      )}
    </th>
  )
}
