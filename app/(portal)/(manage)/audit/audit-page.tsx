'use client'

import { Download, ScrollText } from 'lucide-react'
import { useQueryStates } from 'nuqs'
import { useEffect } from 'react'
import { trpc } from '#app/trpc.ts'
import { button } from '#app/ui/button-styles.ts'
import { SearchField, TextField } from '#app/ui/fields.tsx'
import { DownloadLink } from '#app/ui/link.tsx'
import { type ListColumn, ListState, ListTable, pageByPage, useList } from '#app/ui/list.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { PageHead } from '#app/ui/page-head.tsx'
import { Loading, SectionFailure } from '#app/ui/states.tsx'
import { When, useZone } from '#app/ui/times.tsx'
import { useSettled } from '#app/ui/use-typed.ts'
import type { StoredEntry } from '#server/audit/store.ts'
import { seesAllPartners } from '../../frame/viewer.ts'
import { type AuditState, auditFilter, auditHref, auditParsers, actionLabel } from './query.ts'

const settleMs = 250
/** Maximum number of entries loaded automatically. */
const shownMin = 50

/** Shows the audit log with its filters. */
export function AuditPage() {
  const [state, setState] = useQueryStates(auditParsers)
  const filter = auditFilter({ ...state, q: useSettled(state.q, settleMs) }, useZone())
  const { data: me } = trpc.accounts.me.useQuery()
  const list = useList(trpc.audit.list.useInfiniteQuery(filter, pageByPage), ({ entries }) => entries)
  useShortPages(list)
  const isOfAll = me !== undefined && seesAllPartners(me)
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
      <AuditFilters state={state} onChange={(patch) => void setState(patch)} />
      <ListState what="the audit log" list={list} empty={<NothingYet {...list} />}>
        {(entries) => (
          <ListTable
            label="Audit log"
            columns={columnsOf(list.nowMs, isOfAll)}
            rows={entries}
            keyOf={({ id }) => id}
          />
        )}
      </ListState>
    </>
  )
}

/** Loads more pages while few entries are visible: a page may have no match even if later pages do. */
function useShortPages({
  rows = [],
  hasNextPage,
  isFetching,
  error,
  fetchNextPage,
}: {
  rows: unknown[] | undefined
  hasNextPage: boolean
  isFetching: boolean
  error: unknown
  fetchNextPage: () => Promise<unknown>
}) {
  const loadsMore = hasNextPage && error === null && rows.length < shownMin && !isFetching
  useEffect(() => {
    if (loadsMore) void fetchNextPage()
  }, [loadsMore, fetchNextPage])
}

/** Explains an empty list: no entry matches, or older entries have yet to be loaded. */
function NothingYet({
  hasNextPage,
  error,
  fetchNextPage,
}: {
  hasNextPage: boolean
  error: unknown
  fetchNextPage: () => Promise<unknown>
}) {
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
    {
      title: 'IP address',
      cell: ({ address }) => (
        <span className={address === null ? 'text-ink-soft' : 'whitespace-nowrap'}>{address ?? 'None'}</span>
      ),
    },
  ]
}

/** Shows the filters of the audit log. */
function AuditFilters({
  state,
  onChange,
}: {
  state: AuditState
  onChange: (patch: Partial<AuditState>) => void
}) {
  return (
    <div
      role="group"
      aria-label="Filters"
      className="mb-4 grid gap-3 sm:grid-cols-2 xl:grid-cols-[2fr_1fr_1fr]"
    >
      <SearchField
        label="Actor, action or target"
        placeholder="Such as “revoked” or a name"
        value={state.q}
        maxLength={200}
        onSearch={(q) => onChange({ q })}
      />
      <TextField
        label="From"
        type="date"
        value={state.from ?? ''}
        onChange={({ target }) => onChange({ from: target.value || null })}
      />
      <TextField
        label="To"
        type="date"
        value={state.to ?? ''}
        onChange={({ target }) => onChange({ to: target.value || null })}
      />
    </div>
  )
}
