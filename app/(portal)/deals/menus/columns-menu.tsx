'use client'

import { useViewer } from '../../viewer-of-page.tsx'
import { type ColumnId, columnsOf, standardColumnsFor } from '../query.ts'
import type { DealsQuery } from '../use-deals-state.ts'
import { ColumnChoices } from './column-choices.tsx'
import { DensityChoice } from './density-choice.tsx'
import { ShownColumns } from './shown-columns.tsx'

/** Selects and orders the table's columns, and its density. */
export function ColumnsMenu({ state, change }: Pick<DealsQuery, 'state' | 'change'>) {
  const { seesAllPartners } = useViewer()
  const columns = columnsOf(state, seesAllPartners)
  const set = (next: ColumnId[]) =>
    change({
      columns: next.join() === standardColumnsFor(seesAllPartners).join() ? null : next,
      // Hidden, it no longer says why the deals are in this order.
      ...(state.sort !== null && !next.includes(state.sort.field) && { sort: null }),
    })
  return (
    <div className="flex min-h-0 w-84 max-w-full flex-col">
      <DensityChoice density={state.density} onChange={(density) => change({ density })} />
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
        <ShownColumns columns={columns} set={set} />
        <ColumnChoices columns={columns} set={set} />
      </div>
    </div>
  )
}
