'use client'

import { ArrowDown, ArrowUp, GripVertical, Search, X } from 'lucide-react'
import { type DragEvent, useState } from 'react'
import { fieldGroups } from '../field-labels.ts'
import { type ColumnId, type DealsState, columnsOf, standardColumns } from '../query.ts'
import { columnLabel, moveColumn } from '../table/columns.ts'
import type { ChangeDealsState } from '../use-deals-state.ts'

const dragType = 'application/x-partner-deals-column'

/** Selects and orders the table's columns, and its density. */
export function ColumnsMenu({ state, change }: { state: DealsState; change: ChangeDealsState }) {
  const [search, setSearch] = useState('')
  const columns = columnsOf(state)
  const set = (next: ColumnId[]) => change({ columns: next.join() === standardColumns.join() ? null : next })
  const words = search.toLowerCase().split(/\s+/)
  const all: { name: string; fields: ColumnId[] }[] = fieldGroups.map(({ name, fields }) => ({
    name,
    fields: name === 'Milestones' ? ['milestone', ...fields] : fields,
  }))
  const groups = all
    .map(({ name, fields }) => ({
      name,
      fields: fields.filter((column) =>
        words.every((word) => `${name} ${columnLabel(column)}`.toLowerCase().includes(word)),
      ),
    }))
    .filter(({ fields }) => fields.length > 0)

  return (
    <div className="flex min-h-0 w-84 max-w-full flex-col">
      <fieldset className="flex items-center justify-between gap-3 border-b border-line px-4 py-3">
        <legend className="float-left contents">
          <span className="font-medium">Density</span>
        </legend>
        <div className="flex rounded-lg border border-line p-0.5">
          {(['comfortable', 'compact'] as const).map((density) => (
            <label
              key={density}
              className="relative cursor-pointer rounded-md px-2.5 py-1 text-ink-soft capitalize select-none has-checked:bg-sunken has-checked:font-medium has-checked:text-ink has-focus-visible:outline-2 has-focus-visible:outline-accent"
            >
              <input
                type="radio"
                name="density"
                checked={state.density === density}
                onChange={() => change({ density })}
                className="sr-only"
              />
              {density}
            </label>
          ))}
        </div>
      </fieldset>
      <div className="min-h-0 flex-1 overflow-y-auto">
        <div className="flex items-center justify-between px-4 pt-3 pb-1">
          <h2 className="font-medium">Shown</h2>
          <button
            type="button"
            onClick={() => change({ columns: null, widths: null })}
            className="rounded px-1.5 py-0.5 text-ink-soft hover:bg-sunken hover:text-ink"
          >
            Reset
          </button>
        </div>
        <ol aria-label="Columns shown" className="px-2">
          {columns.map((column, index) => (
            <Shown
              key={column}
              column={column}
              index={index}
              last={columns.length - 1}
              move={(moved, to) => set(moveColumn(columns, moved, to))}
              remove={() => set(columns.filter((each) => each !== column))}
            />
          ))}
        </ol>
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
        {groups.length === 0 && <p className="px-4 py-3 text-ink-soft">No results.</p>}
        {groups.map(({ name, fields }) => (
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
      </div>
    </div>
  )
}

/** A shown column, moved by dragging or with its buttons. */
function Shown({
  column,
  index,
  last,
  move,
  remove,
}: {
  column: ColumnId
  index: number
  last: number
  move: (column: ColumnId, to: number) => void
  remove: () => void
}) {
  const [isOver, setOver] = useState(false)
  const label = columnLabel(column)
  const isFixed = column === 'dealname'
  return (
    <li
      draggable={!isFixed}
      onDragStart={(event: DragEvent) => event.dataTransfer.setData(dragType, column)}
      onDragOver={(event: DragEvent) => {
        if (!isFixed && event.dataTransfer.types.includes(dragType)) {
          event.preventDefault()
          setOver(true)
        }
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event: DragEvent) => {
        event.preventDefault()
        setOver(false)
        move(event.dataTransfer.getData(dragType) as ColumnId, index)
      }}
      className={`flex h-8 items-center gap-2 rounded-lg pr-1 pl-2 ${isOver ? 'bg-sunken' : ''} ${isFixed ? '' : 'cursor-grab'}`}
    >
      <GripVertical
        aria-hidden="true"
        className={`size-4 shrink-0 text-ink-soft ${isFixed ? 'opacity-0' : ''}`}
      />
      <span className="min-w-0 flex-1 truncate">{label}</span>
      {!isFixed && (
        <>
          <button
            type="button"
            aria-label={`Move ${label} left`}
            aria-disabled={index === 1}
            onClick={() => {
              if (index > 1) move(column, index - 1)
            }}
            className={square}
          >
            <ArrowUp aria-hidden="true" className="size-4" />
          </button>
          <button
            type="button"
            aria-label={`Move ${label} right`}
            aria-disabled={index === last}
            onClick={() => {
              if (index < last) move(column, index + 1)
            }}
            className={square}
          >
            <ArrowDown aria-hidden="true" className="size-4" />
          </button>
          <button type="button" aria-label={`Hide ${label}`} onClick={remove} className={square}>
            <X aria-hidden="true" className="size-4" />
          </button>
        </>
      )}
    </li>
  )
}

const square =
  'grid size-7 place-items-center rounded-md text-ink-soft hover:bg-sunken hover:text-ink aria-disabled:opacity-40'
