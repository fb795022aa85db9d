'use client'

import { CloudOff } from 'lucide-react'
import { trpc } from '#app/trpc.ts'
import { Badge } from '#app/ui/badge.tsx'
import { button } from '#app/ui/button.ts'
import { formatBytes } from '#app/ui/format-bytes.ts'
import { Link } from '#app/ui/link.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { QueryState } from '#app/ui/query-state.tsx'
import { When } from '#app/ui/when.tsx'
import { type Import, isUnderway, importStatus } from '../labels.ts'
import { OutcomeCounts } from './outcome-counts.tsx'
import { Preview } from './preview.tsx'
import { Work } from './work.tsx'

const refreshMs = 500
const waitingRefreshMs = 5000

/** Shows an import: a preview of its changes, its progress, or its result. */
export function ImportPage({ id }: { id: number }) {
  const query = trpc.imports.one.useQuery({ id }, { refetchInterval: ({ state }) => refreshOf(state.data) })
  return (
    <QueryState what="the import" query={query} data={query.data}>
      {(found) =>
        query.error?.data?.code === 'NOT_FOUND' ? (
          <Discarded />
        ) : (
          <ImportParts found={found} nowMs={query.dataUpdatedAt} />
        )
      }
    </QueryState>
  )
}

/** Returns after how many milliseconds to reload an import, or false if it no longer changes. */
function refreshOf(found: Import | undefined): number | false {
  if (found === undefined || found.state === 'done' || found.state === 'failed') return false
  return isUnderway(found) ? refreshMs : waitingRefreshMs
}

function Discarded() {
  return (
    <Notice
      icon={CloudOff}
      title="This import no longer exists"
      action={
        <Link href="/imports" className={button.primary}>
          View all imports
        </Link>
      }
    >
      It was discarded.
    </Notice>
  )
}

function ImportParts({ found, nowMs }: { found: Import; nowMs: number }) {
  const { label, tone } = importStatus(found)
  const { fileName, sizeBytes, partner, events, who, createdAt, state, sample } = found
  return (
    <>
      <p className="mb-2">
        <Link href="/imports" className="rounded text-ink-soft hover:text-ink hover:underline">
          All imports
        </Link>
      </p>
      <div className="mb-5">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
          <h1 className="min-w-0 text-xl font-semibold tracking-tight wrap-anywhere">{fileName}</h1>
          <Badge tone={tone}>{label}</Badge>
        </div>
        <p className="mt-1 text-pretty wrap-anywhere text-ink-soft">
          {formatBytes(sizeBytes)}, uploaded <When at={createdAt} nowMs={nowMs} /> by{' '}
          {who?.name ?? 'a deleted user'}.{' '}
          {partner === null ? 'Each record names its partner.' : `Partner: ${partner.name}.`}{' '}
          {events ? 'Webhooks are sent.' : 'No webhooks are sent.'}
        </p>
      </div>
      <Work found={found} />
      {state !== 'uploading' && <OutcomeCounts found={found} />}
      {sample !== null && (state === 'checked' || state === 'importing') && (
        <Preview sample={sample} rejected={found.rejected} />
      )}
    </>
  )
}
