'use client'

import { useState } from 'react'
import { failureMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { Badge } from '#app/ui/badge.tsx'
import { formatCount } from '#app/ui/format.ts'
import { Link } from '#app/ui/link.tsx'
import { type ListColumn, ListState, ListTable, pageByPage, useList } from '#app/ui/list.tsx'
import { PageHead, Panel } from '#app/ui/page-head.tsx'
import { LoadFailure, Loading } from '#app/ui/states.tsx'
import { When } from '#app/ui/times.tsx'
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
import { type Begun, UploadForm, Uploading } from './upload.tsx'

/** Imports deals from files: those of any partner, or of the one that the operator views the portal as. */
export function ImportsPage() {
  const partners = trpc.accounts.partners.useQuery()
  const me = trpc.accounts.me.useQuery()
  const [begun, setBegun] = useState<Begun | null>(null)
  const error = partners.error ?? me.error
  if (error !== null) {
    const retry = () => Promise.all([partners.refetch(), me.refetch()])
    return (
      <LoadFailure what="imports" retry={retry}>
        {failureMessage(error)}
      </LoadFailure>
    )
  }
  const form =
    partners.data === undefined || me.data === undefined ? (
      <Loading />
    ) : (
      <UploadForm partner={me.data.chosenPartner} partners={partners.data} onBegun={setBegun} />
    )
  return (
    <>
      <PageHead title="Imports" about="Create and update deals from a file." />
      <Panel
        title="New import"
        about="One record per deal. Fields that a record omits stay as they are, and so do those of empty cells unless you clear them; null in JSON clears a field. Importing the same file again changes nothing."
      >
        {begun === null ? form : <Uploading {...begun} onDiscarded={() => setBegun(null)} />}
      </Panel>
      <PastImports />
    </>
  )
}

const refreshMs = 3000

/** Shows all imports, newest first. */
function PastImports() {
  const list = useList(
    trpc.imports.list.useInfiniteQuery(
      {},
      {
        ...pageByPage,
        refetchInterval: ({ state }) =>
          state.data?.pages.some(({ imports }) => imports.some(isUnderway)) ? refreshMs : false,
      },
    ),
    ({ imports }) => imports,
  )
  return (
    <section aria-labelledby="past-imports">
      <h2 id="past-imports" className="mb-3 font-semibold">
        Past imports
      </h2>
      <ListState what="imports" list={list} empty={<p className="text-ink-soft">None yet.</p>}>
        {(rows) => (
          <ListTable label="Imports" columns={columnsAt(list.nowMs)} rows={rows} keyOf={({ id }) => id} />
        )}
      </ListState>
    </section>
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
