'use client'

import { Search, ArrowDown, ArrowUp, X } from 'lucide-react'
import { useState } from 'react'
import { IconButton } from '#app/ui/button.tsx'
import { RadioField } from '#app/ui/fields.tsx'
import { useViewer } from '#app/ui/viewer.tsx'
import { derivedColumnIds, derivedColumns, columnLabel } from './columns.ts'
import { type ColumnId, columnsOf, standardColumnsFor } from './columns.ts'
import { fieldGroups } from './fields.ts'
import type { DealsQuery } from './use-deals-state.ts'

/** Selects and orders the table's columns, and sets its density. */
export function ColumnsMenu({ state, change }: Pick<DealsQuery, 'state' | 'change'>) {
  const { seesAllPartners } = useViewer()
  const columns = columnsOf(state, seesAllPartners)
  const set = (next: ColumnId[]) =>
    change({
      columns: next.join() === standardColumnsFor(seesAllPartners).join() ? null : next,
      // Reset the sort order if its column is hidden: users could not see what it is.
      ...(state.sort !== null && !next.includes(state.sort.field) && { sort: null }),
    })
  return (
    <div className="flex min-h-0 w-84 max-w-full flex-col">
      <RadioField
        label="Density"
        name="density"
        choices={{ comfortable: 'Comfortable', compact: 'Compact' }}
        value={state.density}
        onChange={(density) => change({ density })}
        className="border-b border-line px-4 py-3 font-medium"
      />
      <div className="min-h-0 flex-1 overflow-y-auto">
        <div className="flex items-center justify-between px-4 pt-3 pb-1">
          <h2 className="font-medium">Shown</h2>
          <button
            type="button"
            onClick={() => change({ columns: null })}
            className="rounded px-1.5 py-0.5 text-ink-soft hover:bg-sunken hover:text-ink"
          >
            Reset
          </button>
        </div>
        <ShownColumns columns={columns} set={set} />
        <ColumnChoices columns={columns} set={set} />
      </div>
    </div>
  )
}

const groups: { name: string; fields: ColumnId[] }[] = fieldGroups.map(({ name, fields }) => ({
  name,
  fields: [...derivedColumnIds.filter((column) => derivedColumns[column].group === name), ...fields],
}))

function findColumns(search: string, seesAllPartners: boolean) {
  const words = search.toLowerCase().split(/\s+/)
  return groups
    .map(({ name, fields }) => ({
      name,
      fields: fields.filter(
        (column) =>
          (seesAllPartners || column !== 'partner') &&
          words.every((word) => `${name} ${columnLabel(column)}`.toLowerCase().includes(word)),
      ),
    }))
    .filter(({ fields }) => fields.length > 0)
}

function ColumnChoices({ columns, set }: { columns: ColumnId[]; set: (columns: ColumnId[]) => void }) {
  const [search, setSearch] = useState('')
  const { seesAllPartners } = useViewer()
  const found = findColumns(search, seesAllPartners)
  return (
    <>
      <div className="sticky top-0 mt-2 border-y border-line bg-surface">
        <Search
          aria-hidden="true"
          className="pointer-events-none absolute top-3 left-4 size-4 text-ink-soft"
        />
        <input
          aria-label="Find a column"
          placeholder="Find a column…"
          value={search}
          onChange={({ target }) => setSearch(target.value)}
          className="h-10 w-full bg-transparent pr-4 pl-10 text-base outline-none placeholder:text-ink-soft sm:text-sm"
        />
      </div>
      {found.length === 0 && <p className="px-4 py-3 text-ink-soft">No results.</p>}
      {found.map(({ name, fields }) => (
        <fieldset key={name} className="px-4 pt-3 pb-1">
          <legend className="float-left mb-1 w-full text-xs font-medium text-ink-soft">{name}</legend>
          <div className="clear-both">
            {fields.map((column) => (
              <label
                key={column}
                className="-mx-2 flex min-h-8 items-center gap-2.5 rounded-lg px-2 hover:bg-sunken"
              >
                <input
                  type="checkbox"
                  checked={columns.includes(column)}
                  disabled={column === 'dealname'}
                  onChange={({ target }) =>
                    set(target.checked ? [...columns, column] : columns.filter((each) => each !== column))
                  }
                  className="size-4 accent-accent"
                />
                {columnLabel(column)}
              </label>
            ))}
          </div>
        </fieldset>
      ))}
    </>
  )
}

function ShownColumns({ columns, set }: { columns: ColumnId[]; set: (columns: ColumnId[]) => void }) {
  return (
    <ol aria-label="Columns shown" className="px-2">
      {columns.map((column, index) => {
        const isFixed = column === 'dealname'
        return (
          <li key={column} className="flex h-8 items-center gap-2 rounded-lg pr-1 pl-2">
            <span className="min-w-0 flex-1 truncate">{columnLabel(column)}</span>
            {!isFixed && (
              <ColumnButtons
                label={columnLabel(column)}
                isFirst={index === 1}
                isLast={index === columns.length - 1}
                move={(by) => set(moveColumn(columns, column, index + by))}
                hide={() => set(columns.filter((each) => each !== column))}
              />
            )}
          </li>
        )
      })}
    </ol>
  )
}

function ColumnButtons({
  label,
  isFirst,
  isLast,
  move,
  hide,
}: {
  label: string
  isFirst: boolean
  isLast: boolean
  move: (by: -1 | 1) => void
  hide: () => void
}) {
  const buttons = [
    { act: `Move ${label} left`, icon: ArrowUp, isOff: isFirst, onClick: () => move(-1) },
    { act: `Move ${label} right`, icon: ArrowDown, isOff: isLast, onClick: () => move(1) },
    { act: `Hide ${label}`, icon: X, isOff: false, onClick: hide },
  ]
  return buttons.map(({ act, icon, isOff, onClick }) => (
    <IconButton
      key={act}
      icon={icon}
      label={act}
      aria-disabled={isOff}
      onClick={() => isOff || onClick()}
      className="size-7 rounded-md aria-disabled:opacity-40"
    />
  ))
}

/** Moves a column to the position of another column. The deal's name stays first. */
export function moveColumn(columns: ColumnId[], column: ColumnId, to: number): ColumnId[] {
  if (column === 'dealname') return columns
  const others = columns.filter((each) => each !== column)
  return others.toSpliced(Math.min(others.length, Math.max(1, to)), 0, column)
}
