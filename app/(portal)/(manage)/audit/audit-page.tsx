'use client'

import { Download, ScrollText } from 'lucide-react'
import { useQueryStates } from 'nuqs'
import { useEffect } from 'react'
import { trpc } from '#app/trpc.ts'
import { button } from '#app/ui/button-styles.ts'
import { SearchField, TextField } from '#app/ui/fields.tsx'
import { DownloadLink } from '#app/ui/link.tsx'
import { type ListColumns, ListState, ListTable, pageByPage, useList } from '#app/ui/list.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { PageHead } from '#app/ui/page-head.tsx'
import { Loading, SectionFailure } from '#app/ui/states.tsx'
import { When, useZone } from '#app/ui/times.tsx'
import { useSettled } from '#app/ui/use-typed.ts'
import { useViewer } from '#app/ui/viewer.tsx'
import type { StoredEntry } from '#server/audit/store.ts'
import { actionLabel, auditFilter, auditQuery } from './query.ts'

/** Maximum number of entries loaded automatically. */
const shownMin = 50

/** Shows the audit log with its filters. */
export function AuditPage() {
  const [state] = useQueryStates(auditQuery.parsers)
  const { seesAllPartners } = useViewer()
  const filter = auditFilter({ ...state, q: useSettled(state.q) }, useZone())
  const list = useList(trpc.audit.list.useInfiniteQuery(filter, pageByPage), ({ entries }) => entries)
  useShortPages(list)
  return (
    <>
      <PageHead
        title="Audit log"
        about="Who created, changed, viewed or exported what, and when. Entries cannot be edited."
      >
        <DownloadLink href={auditQuery.href(state, '/audit/export')} className={button.plain}>
          <Download aria-hidden="true" className="size-4" />
          Export CSV
        </DownloadLink>
      </PageHead>
      <AuditFilters />
      <ListState what="the audit log" list={list} empty={<NothingYet {...list} />}>
        {(entries) => (
          <ListTable
            label="Audit log"
            columns={columnsOf(list.nowMs, seesAllPartners)}
            rows={entries}
            keyOf={({ id }) => id}
          />
        )}
      </ListState>
    </>
  )
}

interface Entries {
  rows: unknown[] | undefined
  hasNextPage: boolean
  isFetching: boolean
  error: unknown
  fetchNextPage: () => Promise<unknown>
}

/** Loads more pages while few entries are visible: a page may have no match even if later pages do. */
function useShortPages({ rows = [], hasNextPage, isFetching, error, fetchNextPage }: Entries) {
  const loadsMore = hasNextPage && error === null && rows.length < shownMin && !isFetching
  useEffect(() => {
    if (loadsMore) void fetchNextPage()
  }, [loadsMore, fetchNextPage])
}

/** Explains an empty list: no entry matches, or older entries have yet to be loaded. */
function NothingYet({ hasNextPage, error, fetchNextPage }: Entries) {
  if (!hasNextPage)
    return (
      <Notice icon={ScrollText} title="No matching entries">
        Try other dates or a shorter name.
      </Notice>
    )
  return error === null ? (
    <Loading what="older entries" />
  ) : (
    <SectionFailure error={error} retry={fetchNextPage} />
  )
}

function columnsOf(nowMs: number, isOfAll: boolean): ListColumns<StoredEntry> {
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
    isOfAll && {
      title: 'Partner',
      cell: ({ partner }) => partner ?? <span className="text-ink-soft">None</span>,
    },
    { title: 'Time', cell: ({ at }) => <When at={at} nowMs={nowMs} /> },
    {
      title: 'IP address',
      cell: ({ address }) => (
        <span className={address === null ? 'text-ink-soft' : 'whitespace-nowrap'}>{address ?? 'None'}</span>
      ),
    },
  ]
}

/** Shows the filters of the audit log. */
function AuditFilters() {
  const [{ q, from, to }, setState] = useQueryStates(auditQuery.parsers)
  return (
    <div
      role="group"
      aria-label="Filters"
      className="mb-4 grid gap-3 sm:grid-cols-2 xl:grid-cols-[2fr_1fr_1fr]"
    >
      <SearchField
        label="Actor, action or target"
        placeholder="Such as “revoked” or a name"
        value={q}
        maxLength={200}
        onSearch={(text) => void setState({ q: text })}
      />
      <TextField
        label="From"
        type="date"
        value={from ?? ''}
        onChange={({ target }) => void setState({ from: target.value || null })}
      />
      <TextField
        label="To"
        type="date"
        value={to ?? ''}
        onChange={({ target }) => void setState({ to: target.value || null })}
      />
    </div>
  )
}
