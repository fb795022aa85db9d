'use client'

import { Download, SearchCheck } from 'lucide-react'
import { trpc } from '#app/trpc.ts'
import { button } from '#app/ui/button-styles.ts'
import type { Format } from '#app/ui/format.ts'
import { DownloadLink, Link } from '#app/ui/link.tsx'
import { type ListColumns, ListState, ListTable, pageByPage, useList } from '#app/ui/list.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { PageHead } from '#app/ui/page-head.tsx'
import { useFormat } from '#app/ui/times.tsx'
import { useViewer } from '#app/ui/viewer.tsx'
import type { DataIssueName, FlaggedDeal } from '#server/data-quality/wire.ts'
import { issueColumns, issueLabel } from '../labels.ts'

/** Shows the deals with a data issue and their affected fields. */
export function DataIssuePage({ issue }: { issue: DataIssueName }) {
  const list = useList(trpc.dataQuality.list.useInfiniteQuery({ issue }, pageByPage), ({ deals }) => deals)
  const columns = columnsOf(issue, useFormat(), useViewer().seesAllPartners)
  const { title, about } = issueLabel(issue)
  return (
    <>
      <p className="mb-2">
        <Link href="/data-issues" className="rounded text-ink-soft hover:text-ink hover:underline">
          ← All issues
        </Link>
      </p>
      <PageHead title={title} about={about}>
        <DownloadLink href={`/data-issues/${issue}/export`} className={button.plain}>
          <Download aria-hidden="true" className="size-4" />
          Export CSV
        </DownloadLink>
      </PageHead>
      <ListState
        what="the deals"
        list={list}
        empty={
          <Notice icon={SearchCheck} title="No deals">
            No deal has this problem.
          </Notice>
        }
      >
        {(deals) => <ListTable label={title} columns={columns} rows={deals} keyOf={({ id }) => id} />}
      </ListState>
    </>
  )
}

function columnsOf(issue: DataIssueName, format: Format, isOfAll: boolean): ListColumns<FlaggedDeal> {
  return [
    {
      title: 'Deal',
      cell: ({ id, name }) => (
        <Link href={`/deals/${id}`} className="rounded wrap-anywhere hover:underline">
          {name}
        </Link>
      ),
    },
    { title: 'ID', cell: ({ id }) => id },
    isOfAll && {
      title: 'Partner',
      cell: ({ partner }) => partner ?? <span className="text-ink-soft">None</span>,
    },
    ...issueColumns(issue, format).map(({ title, text }) => ({
      title,
      cell: (deal: FlaggedDeal) => <span className="wrap-anywhere">{text(deal)}</span>,
    })),
  ]
}
