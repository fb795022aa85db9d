'use client'

import { Bookmark, Columns3, Download, SlidersHorizontal } from 'lucide-react'
import dynamic from 'next/dynamic'
import { useState } from 'react'
import { formatCountOf, formatDollars } from '#app/ui/format.ts'
import { Popover } from '#app/ui/popover.tsx'
import { activeFilters } from './active-filters.ts'
import { Chips } from './filters/chips.tsx'
import { FilterBar } from './filters/filter-bar.tsx'
import { FilterButton } from './filters/filter-button.tsx'
import { useCurrentView } from './menus/use-current-view.ts'
import type { DealsState } from './query.ts'
import { SearchField } from './search-field.tsx'
import type { ChangeDealsState } from './use-deals-state.ts'

// Loaded when first opened.
const ColumnsMenu = dynamic(() => import('./menus/columns-menu.tsx').then((module) => module.ColumnsMenu), {
  ssr: false,
})
const ViewsMenu = dynamic(() => import('./menus/views-menu.tsx').then((module) => module.ViewsMenu), {
  ssr: false,
})
const ExportMenu = dynamic(() => import('./menus/export-menu.tsx').then((module) => module.ExportMenu), {
  ssr: false,
})
const FilterSheet = dynamic(() => import('./filters/filter-sheet.tsx').then((module) => module.FilterSheet), {
  ssr: false,
})

interface HeadProps {
  state: DealsState
  change: ChangeDealsState
  today: string
  total: { count: number; amount: number } | undefined
  isNarrow: boolean
  isBusy: boolean
  toRows: () => void
}

/** Shows the head of the deals list: totals, search, filters, views, columns and export. */
export function DealsHead({ state, change, today, total, isNarrow, isBusy, toRows }: HeadProps) {
  const [isSheetOpen, openSheet] = useState(false)
  const current = useCurrentView(state)
  const found = total === undefined ? 'deals' : formatCountOf(total.count, 'deal')
  const viewLabel =
    current.view === null ? 'Views' : `${current.view.name}${current.isChanged ? ' · edited' : ''}`
  return (
    <div className="mb-3 shrink-0 space-y-3">
      <div className="flex min-h-9 flex-wrap items-center gap-x-3 gap-y-2">
        <h1 className="text-xl font-semibold tracking-tight">Deals</h1>
        <p role="status" className="text-ink-soft tabular-nums">
          {total !== undefined && (
            <>
              {found}
              {total.count > 0 && <span className="whitespace-nowrap"> · {formatDollars(total.amount)}</span>}
            </>
          )}
        </p>
        <div className="ml-auto flex items-center gap-2">
          <Popover
            label="Views"
            align="end"
            trigger={(props) => <FilterButton {...props} label={viewLabel} icon={Bookmark} isIconAlone />}
          >
            {(close) => <ViewsMenu state={state} change={change} current={current} close={close} />}
          </Popover>
          {!isNarrow && (
            <Popover
              label="Columns"
              align="end"
              trigger={(props) => <FilterButton {...props} label="Columns" icon={Columns3} isIconAlone />}
            >
              <ColumnsMenu state={state} change={change} />
            </Popover>
          )}
          <Popover
            label="Export"
            align="end"
            trigger={(props) => <FilterButton {...props} label="Export" icon={Download} isIconAlone />}
          >
            {(close) => <ExportMenu state={state} close={close} />}
          </Popover>
        </div>
      </div>
      <div className="flex flex-wrap items-center gap-2">
        <SearchField isBusy={isBusy} toRows={toRows} />
        {isNarrow ? (
          <FilterButton
            label="Filters"
            icon={SlidersHorizontal}
            count={activeFilters(state).length}
            aria-haspopup="dialog"
            onClick={() => openSheet(true)}
          />
        ) : (
          <FilterBar state={state} change={change} today={today} />
        )}
      </div>
      <Chips state={state} change={change} />
      {isNarrow && isSheetOpen && (
        <FilterSheet
          state={state}
          change={change}
          today={today}
          found={found}
          onClose={() => openSheet(false)}
        />
      )}
    </div>
  )
}
