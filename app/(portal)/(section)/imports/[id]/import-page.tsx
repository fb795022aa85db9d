'use client'

import { CloudOff } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { failureMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { Badge } from '#app/ui/badge.tsx'
import { button } from '#app/ui/button.ts'
import { FormProblem } from '#app/ui/form-problem.tsx'
import { formatBytes } from '#app/ui/format-bytes.ts'
import { Link } from '#app/ui/link.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { SubmitButton } from '#app/ui/submit-button.tsx'
import { toast } from '#app/ui/toast.tsx'
import { useRouter } from '#app/ui/use-router.ts'
import { When } from '#app/ui/when.tsx'
import { type Import, isUnderway, importStatus } from '../labels.ts'
import { OutcomeCounts } from './outcome-counts.tsx'
import { Preview } from './preview.tsx'
import { Progress } from './progress.tsx'

const refreshMs = 500
const waitingRefreshMs = 5000

/** Shows an import: a preview of its changes, its progress, or its result. */
export function ImportPage({ id }: { id: number }) {
  const {
    data: found,
    error,
    refetch,
    dataUpdatedAt: nowMs,
  } = trpc.imports.one.useQuery(
    { id },
    {
      refetchInterval: ({ state: { data } }) =>
        data === undefined || data.state === 'done' || data.state === 'failed'
          ? false
          : isUnderway(data)
            ? refreshMs
            : waitingRefreshMs,
    },
  )
  if (found === undefined) {
    return error === null ? (
      <p role="status" className="text-ink-soft">
        Loading import…
      </p>
    ) : (
      <Notice
        icon={CloudOff}
        title="Could not load the import"
        action={
          <button type="button" onClick={() => void refetch()} className={button.primary}>
            Try again
          </button>
        }
      >
        {failureMessage(error)}
      </Notice>
    )
  }
  if (error?.data?.code === 'NOT_FOUND') {
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

/** Shows the progress of an import and its actions. */
function Work({ found }: { found: Import }) {
  const { id, state, isInterrupted, receivedBytes, sizeBytes } = found
  const router = useRouter()
  const { imports } = trpc.useUtils()
  const place = useRef<HTMLDivElement>(null)
  const hasActed = useRef(false)
  const refresh = () => imports.one.invalidate({ id })
  // The import has changed in the meantime: show its current state.
  const onError = (error: { data?: { code?: string } | null }) =>
    void (error.data?.code === 'PRECONDITION_FAILED' && refresh())
  const check = trpc.imports.check.useMutation({ onSuccess: refresh, onError })
  const start = trpc.imports.start.useMutation({ onSuccess: refresh, onError })
  const discard = trpc.imports.discard.useMutation({
    async onSuccess() {
      toast.success('File discarded.')
      if (state === 'importing') return refresh()
      router.push('/imports')
      await imports.list.invalidate()
    },
    onError,
  })
  const isBusy = check.isPending || start.isPending || discard.isPending
  const act = (mutation: typeof check | typeof start | typeof discard) => () => {
    if (isBusy) return
    hasActed.current = true
    mutation.mutate({ id })
  }
  // The buttons that had the focus disappear.
  useEffect(() => {
    if (hasActed.current) place.current?.focus()
  }, [state, isInterrupted])
  const problem =
    [check.error, start.error, discard.error].find(
      (error) => error !== null && error.data?.code !== 'PRECONDITION_FAILED',
    ) ?? null
  const isUploaded = receivedBytes === sizeBytes
  const toImport = found.created + found.updated
  return (
    <section
      ref={place}
      tabIndex={-1}
      aria-label="Progress"
      className="mb-6 flex flex-col gap-4 rounded-xl border border-line bg-surface p-5 outline-none sm:p-6"
    >
      <Progress found={found} />
      <FormProblem
        problem={
          problem === null
            ? null
            : problem.data?.code === 'BAD_REQUEST'
              ? `${problem.message}.`
              : failureMessage(problem)
        }
      />
      <div className="flex flex-wrap gap-2 empty:hidden">
        {((state === 'uploading' && isUploaded) || (state === 'checking' && isInterrupted)) && (
          <SubmitButton type="button" busy={check.isPending} onClick={act(check)}>
            Check
          </SubmitButton>
        )}
        {state === 'checked' && toImport > 0 && (
          <SubmitButton type="button" busy={start.isPending} onClick={act(start)}>
            Import
          </SubmitButton>
        )}
        {state === 'importing' && isInterrupted && (
          <SubmitButton type="button" busy={start.isPending} onClick={act(start)}>
            Restart
          </SubmitButton>
        )}
        {(state === 'uploading' ||
          state === 'checking' ||
          state === 'checked' ||
          (state === 'importing' && isInterrupted)) && (
          <SubmitButton
            type="button"
            look="plain"
            busy={discard.isPending}
            onClick={act(discard)}
            className="h-10"
          >
            Discard
          </SubmitButton>
        )}
      </div>
    </section>
  )
}
