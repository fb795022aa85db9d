'use client'

import { getCoreRowModel, useReactTable } from '@tanstack/react-table'
import { useMemo } from 'react'
import { type ColumnId, standardSort } from '../query.ts'
import type { DealsQuery } from '../use-deals-state.ts'
import type { Row } from '../use-deals.ts'
import { columnDefs } from './columns.ts'

/** Returns the table library's model of the rows; a change of their order is one of the query. */
export function useDealsTable(
  rows: Row[],
  columns: ColumnId[],
  { state: { sort }, change }: Pick<DealsQuery, 'state' | 'change'>,
) {
  const defs = useMemo(() => columnDefs(columns), [columns])
  const sorting = useMemo(
    () => (sort === null ? [] : [{ id: sort.field, desc: sort.direction === 'desc' }]),
    [sort],
  )
  return useReactTable<Row>({
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
}
