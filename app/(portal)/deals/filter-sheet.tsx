'use client'

import type { ReactNode } from 'react'
import { button } from '#app/ui/button-styles.ts'
import { Dialog } from '#app/ui/dialog.tsx'
import { Fold } from '#app/ui/fold.tsx'
import type { DealSort } from '#server/search/wire.ts'
import { columnLabel } from './columns.ts'
import { isDuration } from './fields.ts'
import { useFilterSections } from './filter-sections.tsx'
import { noFilter, sortOf } from './query.ts'
import type { DealsQuery } from './use-deals-state.ts'

const sorts = [
  'lastModified',
  'createDate',
  'timeInCurrentStage',
  'dealname',
  'stage',
  'amount',
  'systemSize',
  'city',
] as const

/** Shows all filters and the sort order in narrow windows. `found` is the number of matching deals. */
export function FilterSheet({
  found,
  onClose,
  ...query
}: DealsQuery & { found: string; onClose: () => void }) {
  const { state, change } = query
  const sections = useFilterSections(query)
  return (
    <Dialog title="Filters" at="bottom" onClose={onClose}>
      <div className="-mx-4 min-h-0 flex-1 overflow-y-auto px-4">
        <SortSelect sort={sortOf(state)} onChange={(sort) => change({ sort })} />
        {sections.map(({ label, content }) => (
          <SheetSection key={label} label={label}>
            {content(() => {}, false)}
          </SheetSection>
        ))}
      </div>
      <div className="mt-4 flex gap-3">
        <button type="button" onClick={() => change(noFilter)} className={`${button.plain} h-11 flex-1`}>
          Clear all
        </button>
        <button type="button" onClick={onClose} className={`${button.primary} h-11 flex-1`}>
          Show {found}
        </button>
      </div>
    </Dialog>
  )
}

function orderLabel(field: DealSort['field'], direction: DealSort['direction']): string {
  if (isDuration(field))
    return `${columnLabel(field)} in your CRM, ${direction === 'asc' ? 'longest' : 'shortest'} first`
  return `${columnLabel(field)} ${direction === 'asc' ? '↑' : '↓'}`
}

function SortSelect({ sort, onChange }: { sort: DealSort; onChange: (sort: DealSort) => void }) {
  return (
    <label className="mb-3 flex items-center justify-between gap-3">
      <span className="font-medium">Sort by</span>
      <select
        value={`${sort.field} ${sort.direction}`}
        onChange={({ target }) => {
          const [field, direction] = target.value.split(' ') as [typeof sort.field, typeof sort.direction]
          onChange({ field, direction })
        }}
        className="h-10 min-w-0 rounded-lg border border-control bg-surface px-2.5 text-base"
      >
        {[...new Set([...sorts, sort.field])].flatMap((field) =>
          (['asc', 'desc'] as const).map((direction) => (
            <option key={`${field} ${direction}`} value={`${field} ${direction}`}>
              {orderLabel(field, direction)}
            </option>
          )),
        )}
      </select>
    </label>
  )
}

/** Shows a filter that expands below its label. */
export function SheetSection({
  label,
  value = '',
  children,
}: {
  label: string
  value?: string
  children: ReactNode
}) {
  return (
    <div className="border-t border-line">
      <Fold
        name="filter"
        className="min-h-12 w-full gap-3 font-medium"
        title={
          <>
            {label}
            <span className="min-w-0 flex-1 truncate font-normal text-ink-soft">{value}</span>
          </>
        }
      >
        <div className="-mx-4 pb-3 *:w-full">{children}</div>
      </Fold>
    </div>
  )
}
