'use client'

import { trpc } from '#app/trpc.ts'
import { formatCount } from '#app/ui/format.ts'
import { Link } from '#app/ui/link.tsx'
import { ListTable } from '#app/ui/list.tsx'
import { PageHead } from '#app/ui/page-head.tsx'
import { QueryState } from '#app/ui/states.tsx'
import { AsOf, refetchOld } from '#app/ui/times.tsx'
import type { DataIssueName } from '#server/data-quality/data-issue.ts'
import { issueLabels } from './labels.ts'

/** Shows data issues with counts. */
export function DataIssuesPage() {
  const query = trpc.dataQuality.counts.useQuery(undefined, { refetchInterval: refetchOld })
  return (
    <>
      <PageHead title="Data issues" about="Deals with data that looks wrong. Correct it at its source." />
      <QueryState what="the issues" query={query} data={query.data}>
        {({ counts, asOf }) => (
          <>
            <ListTable
              label="Data issues"
              columns={[
                {
                  title: 'Data issue',
                  cell: ({ issue, count }) =>
                    count === 0 ? (
                      issueLabels[issue].title
                    ) : (
                      <Link href={`/data-issues/${issue}`} className="rounded hover:underline">
                        {issueLabels[issue].title}
                      </Link>
                    ),
                },
                {
                  title: 'What it means',
                  cell: ({ issue }) => <span className="text-ink-soft">{issueLabels[issue].about}</span>,
                },
                {
                  title: 'Deals',
                  isNumber: true,
                  cell: ({ issue, count, isMore }) =>
                    count === 0 ? (
                      <span className="text-ink-soft">0</span>
                    ) : (
                      <Link
                        href={`/data-issues/${issue}`}
                        className="touch-number rounded hover:underline max-sm:-my-1"
                      >
                        {formatCount(count, isMore)}
                      </Link>
                    ),
                },
              ]}
              rows={Object.entries(counts).map(([issue, count]) => ({
                issue: issue as DataIssueName,
                ...count,
              }))}
              keyOf={({ issue }) => issue}
            />
            <p className="mt-3 text-ink-soft empty:hidden">
              <AsOf asOf={asOf} nowMs={query.dataUpdatedAt} />
            </p>
          </>
        )}
      </QueryState>
    </>
  )
}
