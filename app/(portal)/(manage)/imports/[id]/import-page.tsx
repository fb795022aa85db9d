'use client'

import { CloudOff, Download, Table2 } from 'lucide-react'
import { trpc } from '#app/trpc.ts'
import { Badge } from '#app/ui/badge.tsx'
import { button } from '#app/ui/button-styles.ts'
import { formatBytes } from '#app/ui/format-bytes.ts'
import { formatCount } from '#app/ui/format.ts'
import { DownloadLink, Link, PartnerLink } from '#app/ui/link.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { QueryState } from '#app/ui/states.tsx'
import { When } from '#app/ui/times.tsx'
import {
  type Counts,
  type Import,
  countLabels,
  countNames,
  differs,
  durationOf,
  importStatus,
  isUnderway,
  titleOf,
  whoOf,
} from '../labels.ts'
import { Corrections } from './corrections.tsx'
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

/**
 * Shows related imports: an earlier one of the same file, the one that this one corrects or undoes, and the
 * one that undoes this one.
 */
function Related({ found: { same, corrects, undoes, undo }, nowMs }: { found: Import; nowMs: number }) {
  const link = (id: number, text: string) => (
    <Link href={`/imports/${id}`} className="rounded font-medium underline">
      {text}
    </Link>
  )
  return (
    <>
      {same !== null && (
        <p role="note" className="mt-3 rounded-lg bg-sunken px-3 py-2 text-pretty">
          This file was {link(same.id, 'imported')} <When at={same.finishedAt!} nowMs={nowMs} />
          {same.who === null ? '' : ` by ${same.who}`}.
        </p>
      )}
      {corrects !== null && (
        <p className="mt-1">Corrects rejected rows of {link(corrects, 'this import')}.</p>
      )}
      {undoes !== null && <p className="mt-1">Undoes {link(undoes, 'this import')}.</p>}
      {undo !== null && (
        <p className="mt-1">
          {undo.state === 'done' ? 'Undone by' : 'To be undone by'} {link(undo.id, 'this undo')}.
        </p>
      )}
    </>
  )
}

function ImportParts({ found, nowMs }: { found: Import; nowMs: number }) {
  const { label, tone } = importStatus(found)
  const {
    sizeBytes,
    partner,
    events,
    createdAt,
    state,
    sample,
    origin,
    undoes,
    checksum,
    movesDeals,
    clearsEmpty,
  } = found
  const took = durationOf(found.startedAt, found.finishedAt)
  return (
    <>
      <p className="mb-2">
        <Link href="/imports" className="rounded text-ink-soft hover:text-ink hover:underline">
          All imports
        </Link>
      </p>
      <div className="mb-5">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
          <h1 className="min-w-0 text-xl font-semibold tracking-tight wrap-anywhere">{titleOf(found)}</h1>
          <Badge tone={tone}>{label}</Badge>
        </div>
        <p className="mt-1 text-pretty wrap-anywhere text-ink-soft">
          {undoes !== null
            ? 'Prepared'
            : `${formatBytes(sizeBytes)}, ${origin === 'command' ? 'imported' : 'uploaded'}`}{' '}
          <When at={createdAt} nowMs={nowMs} /> by {whoOf(found)}.{' '}
          {partner === null ? 'Each record names its partner.' : `Partner: ${partner.name}.`}{' '}
          {events ? 'Webhooks are sent.' : 'No webhooks are sent.'}{' '}
          {movesDeals && 'Deals of other partners are moved. '}
          {clearsEmpty === true && origin !== 'undo' && 'Empty cells clear. '}
          {sample?.format !== undefined && `${sample.format}.`}
          {took !== '' && ` Took ${took}.`}
        </p>
        {checksum !== null && (
          <p className="mt-1 wrap-anywhere text-ink-soft">
            SHA-256 <code className="text-xs">{checksum}</code>
          </p>
        )}
        <Related found={found} nowMs={nowMs} />
      </div>
      <Work found={found} />
      {state !== 'uploading' && <OutcomeCounts found={found} />}
      {canCorrect(found) && <Corrections id={found.id} hasRejected={found.rejected > 0} />}
      {sample !== null && (state === 'checked' || state === 'importing') && (
        <Preview found={found} sample={sample} />
      )}
    </>
  )
}

const canCorrect = ({ state, undoes, hasRejected }: Import) =>
  hasRejected && undoes === null && (state === 'checked' || state === 'done')

/** Shows the number of records by outcome, with links to the deals and the rejected rows. */
function OutcomeCounts({ found }: { found: Import }) {
  const { id, state, sample, hasRejected, partner } = found
  const isDone = state === 'done'
  return (
    <section aria-label="Counts" className="mb-6">
      <dl className="grid grid-cols-2 gap-3 sm:grid-cols-4">
        {shownCounts(found).map((name) => (
          <div
            key={name}
            className="flex flex-col-reverse rounded-xl border border-line bg-surface px-4 py-3"
          >
            <dt className="text-ink-soft">{labelOf(found, name)}</dt>
            <dd
              className={`text-2xl font-semibold tabular-nums ${name === 'rejected' && found.rejected > 0 ? 'text-bad' : ''}`}
            >
              {formatCount(found[name])}
            </dd>
          </div>
        ))}
      </dl>
      {isDone && sample !== null && differs(found, sample.counts) && (
        <p className="mt-3 text-pretty text-ink-soft">
          The check found {listCounts(sample.counts)}. Deals changed since then, or the import was interrupted
          and restarted.
        </p>
      )}
      {(hasRejected || isDone) && (
        <div className="mt-4 flex flex-wrap gap-2">
          {isDone &&
            (partner === null ? (
              <Link href="/deals" className={button.plain}>
                <Table2 aria-hidden="true" className="size-4" />
                View deals
              </Link>
            ) : (
              <PartnerLink href="/deals" partner={partner.slug} className={button.plain}>
                <Table2 aria-hidden="true" className="size-4" />
                View deals of {partner.name}
              </PartnerLink>
            ))}
          {hasRejected && (
            <DownloadLink href={`/imports/${id}/rejected`} className={button.plain}>
              <Download aria-hidden="true" className="size-4" />
              {found.rejected > 0 ? 'Download rejected rows' : 'Download rows with unreadable values'}
            </DownloadLink>
          )}
        </div>
      )}
    </section>
  )
}

type Name = (typeof countNames)[number] | 'removed'

/** Returns the outcomes that an import can have. */
const shownCounts = ({ undoes }: Import): Name[] =>
  undoes !== null ? ['created', 'updated', 'removed', 'rejected'] : countNames

const undoLabels: Partial<Record<Name, string>> = {
  created: 'Created again',
  updated: 'Restored',
  removed: 'Removed',
  rejected: 'Left as they are',
}

const labelOf = ({ undoes }: Import, name: Name) =>
  (undoes !== null ? undoLabels[name] : undefined) ?? countLabels[name as keyof Counts]

const listCounts = (counts: Counts) =>
  countNames.map((name) => `${formatCount(counts[name])} ${countLabels[name].toLowerCase()}`).join(', ')
