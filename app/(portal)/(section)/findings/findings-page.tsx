'use client'

import { trpc } from '#app/trpc.ts'
import { AsOf, refetchOld } from '#app/ui/as-of.tsx'
import { formatCount } from '#app/ui/format.ts'
import { Link } from '#app/ui/link.tsx'
import { ListTable } from '#app/ui/list-table.tsx'
import { PageHead } from '#app/ui/page-head.tsx'
import { QueryState } from '#app/ui/query-state.tsx'
import type { FindingName } from '#server/findings/finding.ts'
import { findingLabels } from './labels.ts'

/** Shows what is odd about deals, with counts. */
export function FindingsPage() {
  const query = trpc.findings.counts.useQuery(undefined, { refetchInterval: refetchOld })
  return (
    <>
      <PageHead title="Findings" about="Deals with data that looks wrong. Correct it at its source." />
      <QueryState what="the findings" query={query} data={query.data}>
        {({ counts, asOf }) => (
          <>
            <ListTable
              label="Findings"
              columns={[
                {
                  title: 'Finding',
                  cell: ({ finding, count }) =>
                    count === 0 ? (
                      findingLabels[finding].title
                    ) : (
                      <Link href={`/findings/${finding}`} className="rounded hover:underline">
                        {findingLabels[finding].title}
                      </Link>
                    ),
                },
                {
                  title: 'What it means',
                  cell: ({ finding }) => (
                    <span className="text-ink-soft">{findingLabels[finding].about}</span>
                  ),
                },
                {
                  title: 'Deals',
                  isNumber: true,
                  cell: ({ finding, count, isMore }) =>
                    count === 0 ? (
                      <span className="text-ink-soft">0</span>
                    ) : (
                      <Link href={`/findings/${finding}`} className="rounded hover:underline">
                        {formatCount(count, isMore)}
                      </Link>
                    ),
                },
              ]}
              rows={Object.entries(counts).map(([finding, count]) => ({
                finding: finding as FindingName,
                ...count,
              }))}
              keyOf={({ finding }) => finding}
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
