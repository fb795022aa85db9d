'use client'

import { CloudOff } from 'lucide-react'
import { type RefObject, useRef, useState } from 'react'
import { trpc } from '#app/trpc.ts'
import { Badge } from '#app/ui/badge.tsx'
import { button } from '#app/ui/button-styles.ts'
import { formatBytes } from '#app/ui/format-bytes.ts'
import { Link } from '#app/ui/link.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { QueryState } from '#app/ui/states.tsx'
import { When } from '#app/ui/times.tsx'
import { PartTabs } from '../../controls.tsx'
import { type Import, durationOf, importStatus, isUnderway, titleOf, whoOf } from '../labels.ts'
import { Corrections } from './corrections.tsx'
import { OutcomeCounts } from './part.tsx'
import { ImportStep, Review } from './preview.tsx'
import { type StepName, firstStep, stepNames, stepsOf } from './steps.ts'
import { Work } from './work.tsx'

const refreshMs = 500
const waitingRefreshMs = 5000

/** Shows an import: its preview, progress or result. */
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

/** Returns the refetch interval in milliseconds, or false if the import no longer changes. */
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
 * Links an import to related ones: an earlier import of the same file, and the imports that this one
 * corrects, undoes or was undone by.
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
  const { sizeBytes, partner, events, createdAt, state, sample, origin, undoes, movesDeals, clearsEmpty } =
    found
  // Remembers across state changes that a button was clicked, because the button itself disappears.
  const hasActed = useRef(false)
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
          {clearsEmpty === true && origin !== 'undo' && 'Empty cells clear their fields. '}
          {sample?.format !== undefined && `${sample.format}.`}
          {took !== '' && ` Took ${took}.`}
        </p>
        <Related found={found} nowMs={nowMs} />
      </div>
      {/* Keep showing the current step while the file is checked again. */}
      {sample !== null && (state === 'checked' || (state === 'checking' && !found.isInterrupted)) ? (
        <Steps found={found} hasActed={hasActed} />
      ) : (
        <Outcome found={found} hasActed={hasActed} />
      )}
    </>
  )
}

/** Shows a running or finished import. */
function Outcome({ found, hasActed }: { found: Import; hasActed: RefObject<boolean> }) {
  const { state, sample } = found
  return (
    <>
      <Work found={found} hasActed={hasActed} />
      {state === 'importing' && sample !== null ? (
        <Review found={found} sample={sample} />
      ) : (
        state !== 'uploading' && <OutcomeCounts found={found} />
      )}
      {canCorrect(found) && <Corrections id={found.id} hasRejected={found.rejected > 0} />}
    </>
  )
}

/** Shows a checked import step by step, beginning at the first step with an open question. */
function Steps({ found, hasActed }: { found: Import; hasActed: RefObject<boolean> }) {
  const [chosen, choose] = useState(() => firstStep(found))
  const [isOn, set] = useState(true)
  const all = stepsOf(found)
  const step = all.includes(chosen) ? chosen : all[0]!
  const go = (to: StepName) => {
    choose(to)
    window.scrollTo(0, 0)
  }
  return (
    <>
      {all.length > 1 && (
        <PartTabs label="Steps" names={all} titles={stepNames} current={step} isNumbered onOpen={go} />
      )}
      <ImportStep step={step} found={found} sample={found.sample!} webhooks={{ isOn, set }} />
      <Work found={found} hasActed={hasActed} events={isOn} step={{ name: step, all, go }} />
    </>
  )
}

const canCorrect = ({ state, undoes, hasRejected }: Import) =>
  hasRejected && undoes === null && state === 'done'
