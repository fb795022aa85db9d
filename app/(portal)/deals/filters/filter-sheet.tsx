'use client'

import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { button } from '#app/ui/button.ts'
import { Dialog } from '#app/ui/dialog.tsx'
import { type DealsState, noFilter, sortOf } from '../query.ts'
import { columnLabel } from '../table/columns.ts'
import type { ChangeDealsState } from '../use-deals-state.ts'
import { Choices } from './choices.tsx'
import { Dates } from './dates.tsx'
import { MoreFilters } from './more.tsx'

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

/** Shows all filters and the sort order in narrow windows. */
export function FilterSheet({
  state,
  change,
  today,
  found,
  onClose,
}: {
  state: DealsState
  change: ChangeDealsState
  today: string
  found: string
  onClose: () => void
}) {
  const [opened, setOpened] = useState<string | null>(null)
  const sort = sortOf(state)
  const sections = [
    {
      label: 'Stage',
      content: (
        <Choices kind="stages" label="Stage" chosen={state.stage} onChange={(stage) => change({ stage })} />
      ),
    },
    {
      label: 'Pipeline',
      content: (
        <Choices
          kind="pipelines"
          label="Pipeline"
          chosen={state.pipeline}
          onChange={(pipeline) => change({ pipeline })}
        />
      ),
    },
    {
      label: 'State',
      content: (
        <Choices
          kind="states"
          label="State"
          chosen={state.state}
          onChange={(states) => change({ state: states })}
        />
      ),
    },
    {
      label: 'People',
      content: (
        <Choices
          kind="people"
          label="People"
          chosen={state.person}
          onChange={(person) => change({ person })}
        />
      ),
    },
    { label: 'Dates', content: <Dates state={state} change={change} today={today} /> },
    { label: 'More filters', content: <MoreFilters state={state} change={change} /> },
  ]
  return (
    <Dialog title="Filters" at="bottom" onClose={onClose}>
      <div className="-mx-4 min-h-0 flex-1 overflow-y-auto px-4">
        <label className="mb-3 flex items-center justify-between gap-3">
          <span className="font-medium">Sort by</span>
          <select
            value={`${sort.field} ${sort.direction}`}
            onChange={({ target }) => {
              const [field, direction] = target.value.split(' ') as [typeof sort.field, typeof sort.direction]
              change({ sort: { field, direction } })
            }}
            className="h-10 min-w-0 rounded-lg border border-control bg-surface px-2.5 text-base"
          >
            {[...new Set([...sorts, sort.field])].flatMap((field) =>
              (['asc', 'desc'] as const).map((direction) => (
                <option key={`${field} ${direction}`} value={`${field} ${direction}`}>
                  {columnLabel(field)} {direction === 'asc' ? '↑' : '↓'}
                </option>
              )),
            )}
          </select>
        </label>
        {sections.map(({ label, content }) => (
          <section key={label} className="border-t border-line">
            <h3>
              <button
                type="button"
                aria-expanded={label === opened}
                onClick={() => setOpened(label === opened ? null : label)}
                className="flex h-12 w-full items-center justify-between font-medium"
              >
                {label}
                <ChevronRight
                  aria-hidden="true"
                  className={`size-4 text-ink-soft ${label === opened ? 'rotate-90' : ''}`}
                />
              </button>
            </h3>
            {label === opened && <div className="-mx-4 pb-3 *:w-full">{content}</div>}
          </section>
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
