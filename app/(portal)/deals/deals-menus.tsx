'use client'

import { Bookmark, Columns3, Download, ListChecks } from 'lucide-react'
import { useState } from 'react'
import { lazyPart } from '#app/ui/lazy-part.ts'
import { Popover, PopoverLoading } from '#app/ui/popover.tsx'
import { may } from '#server/access/capability.ts'
import { useViewer } from '../viewer-of-page.tsx'
import { FilterButton } from './query-head.tsx'
import { useCurrentView } from './use-current-view.ts'
import type { DealsQuery } from './use-deals-state.ts'

// Load the menus when they first open.
const ColumnsMenu = lazyPart(
  () => import('./menus/columns-menu.tsx').then((module) => module.ColumnsMenu),
  PopoverLoading,
)
const ViewsMenu = lazyPart(
  () => import('./menus/views-menu.tsx').then((module) => module.ViewsMenu),
  PopoverLoading,
)
const ExportMenu = lazyPart(
  () => import('./menus/export-menu.tsx').then((module) => module.ExportMenu),
  PopoverLoading,
)

const SheetDialog = lazyPart(() => import('./menus/sheet-dialog.tsx').then((module) => module.SheetDialog))

/** Shows the name of the current view on a button that opens the views menu. */
export function ViewsButton({ state, change }: Pick<DealsQuery, 'state' | 'change'>) {
  const current = useCurrentView(state)
  const label =
    current.view === null ? 'Views' : `${current.view.name}${current.isChanged ? ' · edited' : ''}`
  return (
    <Popover
      label="Views"
      align="end"
      trigger={(props) => <FilterButton {...props} label={label} icon={Bookmark} isIconAlone />}
    >
      {(close) => <ViewsMenu state={state} change={change} current={current} close={close} />}
    </Popover>
  )
}

/**
 * Shows the menus of the list: views, columns and export. Cards have no columns menu, and the map has no
 * command that prints all deals.
 */
export function DealsMenus({
  state,
  change,
  hasColumns,
  print,
  select,
}: Pick<DealsQuery, 'state' | 'change'> & {
  hasColumns: boolean
  print?: () => Promise<void>
  /** Starts selecting cards. */
  select?: (() => void) | undefined
}) {
  const { role, seesAllPartners } = useViewer()
  const { view } = useCurrentView(state)
  const [isSheetOpen, setSheetOpen] = useState(false)
  const mayCreateSheets = may(role, 'manage') && !seesAllPartners
  return (
    <div className="ml-auto flex items-center gap-2 print:hidden">
      {select !== undefined && <FilterButton label="Select" icon={ListChecks} isIconAlone onClick={select} />}
      <ViewsButton state={state} change={change} />
      {hasColumns && (
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
        {(close) => (
          <ExportMenu
            state={state}
            print={print}
            useInSheet={mayCreateSheets ? () => setSheetOpen(true) : undefined}
            close={close}
          />
        )}
      </Popover>
      {isSheetOpen && (
        <SheetDialog state={state} viewName={view?.name ?? 'Deals'} onClose={() => setSheetOpen(false)} />
      )}
    </div>
  )
}
