'use client'

import { keepPreviousData } from '@tanstack/react-query'
import { Download, ScrollText } from 'lucide-react'
import { useQueryStates } from 'nuqs'
import { useEffect } from 'react'
import { trpc } from '#app/trpc.ts'
import { button } from '#app/ui/button.ts'
import { DownloadLink } from '#app/ui/link.tsx'
import { type ListColumn, ListTable } from '#app/ui/list-table.tsx'
import { Loading } from '#app/ui/loading.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { PageHead } from '#app/ui/page-head.tsx'
import { ListState } from '#app/ui/query-state.tsx'
import { SectionFailure } from '#app/ui/section-failure.tsx'
import { useSettled } from '#app/ui/use-settled.ts'
import { useShownAt } from '#app/ui/use-shown-at.ts'
import { When } from '#app/ui/when.tsx'
import { useZone } from '#app/ui/zone.tsx'
import type { StoredEntry } from '#server/audit/store.ts'
import { seesAllPartners } from '../../frame/viewer.ts'
import { actionLabel } from './action-label.ts'
import { AuditFilters } from './filters.tsx'
import { auditFilter, auditHref, auditParsers } from './query.ts'

const settleMs = 250
/** How many entries are shown before more are loaded only on request. */
const shownMin = 50

/** Shows the audit log with its filters. */
export function AuditPage() {
  const [state, setState] = useQueryStates(auditParsers)
  const filter = auditFilter({ ...state, q: useSettled(state.q, settleMs) }, useZone())
  const { data: me } = trpc.accounts.me.useQuery()
  const found = trpc.audit.list.useInfiniteQuery(filter, {
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  })
  const shownAt = useShownAt(found)
  const rows = found.data?.pages.flatMap(({ entries }) => entries)
  useShortPages(found, rows?.length)
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
      <AuditFilters isOfAll={isOfAll} state={state} onChange={(patch) => void setState(patch)} />
      <ListState what="the audit log" list={found} rows={rows} empty={<NothingYet {...found} />}>
        {(entries) => (
          <ListTable
            label="Audit log"
            columns={columnsOf(shownAt, isOfAll)}
            rows={entries}
            keyOf={({ id }) => id}
          />
        )}
      </ListState>
    </>
  )
}

/**
 * Loads further pages while few entries are shown, because a page may end without a match although there are more
 * entries.
 */
function useShortPages(
  {
    hasNextPage,
    isFetching,
    error,
    fetchNextPage,
  }: { hasNextPage: boolean; isFetching: boolean; error: unknown; fetchNextPage: () => Promise<unknown> },
  shown = 0,
) {
  const loadsMore = hasNextPage && error === null && shown < shownMin && !isFetching
  useEffect(() => {
    if (loadsMore) void fetchNextPage()
  }, [loadsMore, fetchNextPage])
}

/** Shows in place of entries that none matches, or that there are older ones to look at. */
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
