'use client'

import { trpc } from '#app/trpc.ts'
import { formatCount, formatCountOf } from '#app/ui/format.ts'
import { Link } from '#app/ui/link.tsx'
import { ListTable } from '#app/ui/list.tsx'
import { PageHead } from '#app/ui/page-head.tsx'
import { QueryState } from '#app/ui/states.tsx'
import { AsOf, refetchOld } from '#app/ui/times.tsx'
import type { DataIssueName } from '#server/data-quality/wire.ts'
import { issueLabel } from './labels.ts'

/** Shows data issues with the number of deals that have each issue. */
export function DataIssuesPage() {
  const query = trpc.dataQuality.counts.useQuery(undefined, { refetchInterval: refetchOld })
  return (
    <>
      <PageHead
        title="Data issues"
        about="Deals with data that looks wrong. Correct it in your CRM or file."
      />
      <QueryState what="the issues" query={query} data={query.data}>
        {({ counts, asOf }) => {
          const issues = Object.entries(counts).map(([issue, count]) => ({
            issue: issue as DataIssueName,
            ...count,
          }))
          const clear = issues.filter(({ count }) => count === 0)
          return (
            <>
              {clear.length < issues.length && (
                <IssueTable issues={issues.filter(({ count }) => count > 0)} />
              )}
              {clear.length > 0 && (
                <details className="mt-4">
                  <summary className="touch w-fit rounded text-ink-soft">
                    {clear.length === issues.length ? 'All clear: ' : ''}
                    {formatCountOf(clear.length, 'check')} without issues
                  </summary>
                  <ul className="mt-2 list-disc pl-5 text-ink-soft">
                    {clear.map(({ issue }) => (
                      <li key={issue}>{issueLabel(issue).title}</li>
                    ))}
                  </ul>
                </details>
              )}
              <p className="mt-3 text-ink-soft empty:hidden">
                <AsOf asOf={asOf} nowMs={query.dataUpdatedAt} />
              </p>
            </>
          )
        }}
      </QueryState>
    </>
  )
}

/** Shows data issues as a table; each row links to the affected deals. */
function IssueTable({ issues }: { issues: { issue: DataIssueName; count: number; isMore: boolean }[] }) {
  return (
    <ListTable
      label="Data issues"
      isLinked
      columns={[
        {
          title: 'Data issue',
          cell: ({ issue }) => (
            <Link href={`/data-issues/${issue}`} className="rounded hover:underline">
              {issueLabel(issue).title}
            </Link>
          ),
        },
        {
          title: 'What it means',
          cell: ({ issue }) => <span className="text-ink-soft">{issueLabel(issue).about}</span>,
        },
        {
          title: 'Deals',
          isNumber: true,
          cell: ({ issue, count, isMore }) => (
            <Link
              href={`/data-issues/${issue}`}
              className="touch-number rounded hover:underline max-sm:-my-1"
            >
              {formatCount(count, isMore)}
            </Link>
          ),
        },
      ]}
      rows={issues}
      keyOf={({ issue }) => issue}
    />
  )
}
