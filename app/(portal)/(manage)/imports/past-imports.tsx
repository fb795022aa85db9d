'use client'

import { trpc } from '#app/trpc.ts'
import { Badge } from '#app/ui/badge.tsx'
import { formatCount } from '#app/ui/format.ts'
import { Link } from '#app/ui/link.tsx'
import { type ListColumn, ListTable } from '#app/ui/list-table.tsx'
import { Loading } from '#app/ui/loading.tsx'
import { SectionFailure } from '#app/ui/section-failure.tsx'
import { ShowMore } from '#app/ui/show-more.tsx'
import { When } from '#app/ui/when.tsx'
import {
  type Listed,
  countLabels,
  countNames,
  durationOf,
  importStatus,
  isUnderway,
  titleOf,
  whoOf,
} from './labels.ts'

const refreshMs = 3000

/** Shows all imports, newest first. */
export function PastImports() {
  return (
    <section aria-labelledby="past-imports">
      <h2 id="past-imports" className="mb-3 font-semibold">
        Past imports
      </h2>
      <ImportList />
    </section>
  )
}

function ImportList() {
  const found = trpc.imports.list.useInfiniteQuery(
    {},
    {
      getNextPageParam: ({ next }) => next,
      refetchInterval: ({ state }) =>
        state.data?.pages.some(({ imports }) => imports.some(isUnderway)) ? refreshMs : false,
    },
  )
  const { data, error, refetch, dataUpdatedAt: nowMs } = found
  if (data === undefined) {
    if (error !== null) return <SectionFailure error={error} retry={refetch} />
    return <Loading what="imports" />
  }
  const rows = data.pages.flatMap(({ imports }) => imports)
  if (rows.length === 0) return <p className="text-ink-soft">None yet.</p>
  return (
    <>
      <ListTable label="Imports" columns={columnsAt(nowMs)} rows={rows} keyOf={({ id }) => id} />
      <ShowMore found={found} />
    </>
  )
}

const columnsAt = (nowMs: number): ListColumn<Listed>[] => [
  {
    title: 'File',
    cell: ({ id, ...row }) => (
      <Link href={`/imports/${id}`} className="rounded hover:underline">
        {titleOf(row)}
      </Link>
    ),
  },
  {
    title: 'Status',
    cell: (row) => {
      const { label, tone } = importStatus(row)
      return <Badge tone={tone}>{label}</Badge>
    },
  },
  {
    title: 'Partner',
    cell: ({ partner }) => partner?.name ?? <span className="text-ink-soft">From each record</span>,
  },
  ...countNames.map((name): ListColumn<Listed> => ({
    title: countLabels[name],
    isNumber: true,
    cell: ({ [name]: count, state }) => (state === 'uploading' ? '' : formatCount(count)),
  })),
  {
    title: 'By',
    cell: (row) => (
      <span className={`sm:whitespace-nowrap ${row.who?.name === undefined ? 'text-ink-soft' : ''}`}>
        {whoOf(row)}
      </span>
    ),
  },
  {
    title: 'Created',
    cell: ({ createdAt, startedAt, finishedAt }) => {
      const took = durationOf(startedAt, finishedAt)
      return (
        <span className="whitespace-nowrap">
          <When at={createdAt} nowMs={nowMs} />
          {took !== '' && <span className="block text-ink-soft">took {took}</span>}
        </span>
      )
    },
  },
]
