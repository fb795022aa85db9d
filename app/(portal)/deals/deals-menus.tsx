'use client'

import { Bookmark, Columns3, Download, ListChecks } from 'lucide-react'
import { useState } from 'react'
import { lazyPart } from '#app/ui/load-part.ts'
import { Popover, lazyContent } from '#app/ui/popover.tsx'
import { useViewer } from '#app/ui/viewer.tsx'
import { may } from '#server/access/capability.ts'
import { FilterButton } from './query-head.tsx'
import { useCurrentView, type DealsQuery } from './use-deals-state.ts'

const ColumnsMenu = lazyContent(() => import('./columns-menu.tsx').then((module) => module.ColumnsMenu))
const ViewsMenu = lazyContent(() => import('./views-menu.tsx').then((module) => module.ViewsMenu))
const ExportMenu = lazyContent(() => import('./export-menu.tsx').then((module) => module.ExportMenu))

const SheetDialog = lazyPart(() => import('./sheet-dialog.tsx').then((module) => module.SheetDialog))

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

/** Shows the menus for views, columns (tables only) and export, which can print everything but the map. */
export function DealsMenus({
  state,
  change,
  hasColumns,
  print,
  select,
}: Pick<DealsQuery, 'state' | 'change'> & {
  hasColumns: boolean
  print?: () => Promise<void>
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
