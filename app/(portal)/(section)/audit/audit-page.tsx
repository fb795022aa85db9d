'use client'

import { keepPreviousData } from '@tanstack/react-query'
import { CloudOff, Download, ScrollText } from 'lucide-react'
import { useQueryStates } from 'nuqs'
import { failureMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { button } from '#app/ui/button.ts'
import { DownloadLink } from '#app/ui/link.tsx'
import { type ListColumn, ListTable } from '#app/ui/list-table.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { PageHead } from '#app/ui/page-head.tsx'
import { SelectField } from '#app/ui/select-field.tsx'
import { ShowMore } from '#app/ui/show-more.tsx'
import { TextField } from '#app/ui/text-field.tsx'
import { useSettled } from '#app/ui/use-settled.ts'
import { When } from '#app/ui/when.tsx'
import { actions, isAction } from '#server/audit/action.ts'
import type { StoredEntry } from '#server/audit/store.ts'
import { actionLabel } from './action-label.ts'
import { auditFilter, auditHref, auditParsers } from './query.ts'

const settleMs = 250
const choices = [
  { value: '', label: 'Any action' },
  ...Object.keys(actions)
    .map((action) => ({ value: action, label: actionLabel(action) }))
    .toSorted((a, b) => a.label.localeCompare(b.label)),
]

/** Shows the audit log with its filters. */
export function AuditPage() {
  const [state, setState] = useQueryStates(auditParsers)
  const filter = auditFilter({ ...state, q: useSettled(state.q, settleMs) })
  const { data: me } = trpc.accounts.me.useQuery()
  const found = trpc.audit.list.useInfiniteQuery(filter, {
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  })
  const rows = found.data?.pages.flatMap(({ entries }) => entries)
  const isOfAll = me?.role === 'operator' && me.chosenPartner === null
  return (
    <>
      <PageHead
        title="Audit log"
        about="Who created, changed, viewed or exported what, and when. Entries cannot be edited."
      >
        <DownloadLink href={auditHref(state, '/audit/export')} className={button.plain}>
          <Download aria-hidden="true" className="size-4" />
          Export CSV
        </DownloadLink>
      </PageHead>
      <div role="group" aria-label="Filters" className="mb-4 grid gap-3 sm:grid-cols-2 xl:grid-cols-4">
        <TextField
          label="Actor or target"
          type="search"
          value={state.q}
          onChange={({ target }) => void setState({ q: target.value.slice(0, 200) })}
        />
        <SelectField
          label="Action"
          choices={choices}
          value={state.action ?? ''}
          onChange={({ target: { value } }) => void setState({ action: isAction(value) ? value : null })}
        />
        <TextField
          label="From"
          type="date"
          value={state.from ?? ''}
          onChange={({ target }) => void setState({ from: target.value || null })}
        />
        <TextField
          label="To"
          type="date"
          value={state.to ?? ''}
          onChange={({ target }) => void setState({ to: target.value || null })}
        />
      </div>
      {rows === undefined ? (
        found.error === null ? (
          <p role="status" className="text-ink-soft">
            Loading audit log…
          </p>
        ) : (
          <Notice
            icon={CloudOff}
            title="Could not load the audit log"
            action={
              <button type="button" onClick={() => found.refetch()} className={button.primary}>
                Try again
              </button>
            }
          >
            {failureMessage(found.error)}
          </Notice>
        )
      ) : rows.length === 0 ? (
        <Notice icon={ScrollText} title="No matching entries">
          Try other dates or a shorter name.
        </Notice>
      ) : (
        <>
          <ListTable
            label="Audit log"
            columns={columnsOf(found.dataUpdatedAt, isOfAll)}
            rows={rows}
            keyOf={({ id }) => id}
          />
          <ShowMore found={found} />
        </>
      )}
    </>
  )
}

function columnsOf(nowMs: number, isOfAll: boolean): ListColumn<StoredEntry>[] {
  return [
    { title: 'Actor', cell: ({ who }) => who },
    {
      title: 'Action',
      cell: ({ action, subject }) => (
        <>
          {actionLabel(action)}
          {subject !== '' && <span className="text-ink-soft">: {subject}</span>}
        </>
      ),
    },
    ...(isOfAll
      ? [
          {
            title: 'Partner',
            cell: ({ partner }: StoredEntry) => partner ?? <span className="text-ink-soft">None</span>,
          },
        ]
      : []),
    { title: 'Time', cell: ({ at }) => <When at={at} nowMs={nowMs} /> },
    { title: 'IP address', cell: ({ address }) => address ?? <span className="text-ink-soft">None</span> },
  ]
}
