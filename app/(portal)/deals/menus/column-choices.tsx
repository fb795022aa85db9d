'use client'

import { Search } from 'lucide-react'
import { useState } from 'react'
import { useViewer } from '../../viewer-of-page.tsx'
import { derivedColumnIds, derivedColumns } from '../derived-columns.ts'
import { fieldGroups } from '../field-labels.ts'
import type { ColumnId } from '../query.ts'
import { columnLabel } from '../table/columns.ts'

/** All columns, by group. */
const groups: { name: string; fields: ColumnId[] }[] = fieldGroups.map(({ name, fields }) => ({
  name,
  fields: [...derivedColumnIds.filter((column) => derivedColumns[column].group === name), ...fields],
}))

/** Returns the columns whose group and label have all the words of the search. */
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

/** Shows a checkbox for each column, with a search. */
export function ColumnChoices({ columns, set }: { columns: ColumnId[]; set: (columns: ColumnId[]) => void }) {
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
