'use client'

import { type RefObject, useEffect, useRef } from 'react'
import { trpc } from '#app/trpc.ts'
import { Button } from '#app/ui/button.tsx'
import { refusalMessage } from '#app/ui/failure-message.ts'
import { FormProblem } from '#app/ui/fields.tsx'
import { formatCount, formatCountOf } from '#app/ui/format.ts'
import { useRouter } from '#app/ui/link.tsx'
import { toast } from '#app/ui/toast.tsx'
import { ProgressBar } from '../../controls.tsx'
import { type Import, isUnderway, sumOf } from '../labels.ts'
import { type StepName, stepNames } from './steps.ts'

interface Place {
  name: StepName
  all: StepName[]
  go: (to: StepName) => void
}

/**
 * Shows the progress and the actions of an import or one of its steps. `events` is true if webhooks are sent.
 */
export function Work({
  found,
  hasActed,
  events = true,
  step,
}: {
  found: Import
  /** Set to true when a button is clicked. */
  hasActed: RefObject<boolean>
  events?: boolean
  step?: Place
}) {
  const { state, isInterrupted } = found
  const actions = useActions(found, events)
  const { problem } = actions
  const place = useRef<HTMLDivElement>(null)
  const act = (action: { run: () => void }) => () => {
    hasActed.current = true
    action.run()
  }
  // Move the focus, because the focused button disappears.
  useEffect(() => {
    if (hasActed.current) place.current?.focus()
  }, [state, isInterrupted, hasActed])
  return (
    <section
      ref={place}
      tabIndex={-1}
      aria-label="Progress"
      className={`flex flex-col gap-4 rounded-xl border border-line bg-surface outline-none ${step === undefined ? 'mb-6 p-5 sm:p-6' : 'sticky bottom-3 z-10 p-4 shadow-lg'}`}
    >
      <Progress found={found} />
      <FormProblem problem={problem} />
      <Buttons found={found} actions={actions} act={act} step={step} />
    </section>
  )
}

type Actions = ReturnType<typeof useActions>

/** Shows the buttons for the import's possible actions. */
function Buttons({
  found,
  actions: { check, start, undo, discard },
  act,
  step,
}: {
  found: Import
  actions: Actions
  act: (action: Actions['check']) => () => void
  step: Place | undefined
}) {
  const at = step?.all.indexOf(step.name) ?? 0
  const [before, next] = [step?.all[at - 1], step?.all[at + 1]]
  return (
    <div className="flex flex-wrap gap-2 empty:hidden">
      {before !== undefined && (
        <Button onClick={() => step!.go(before)} className="h-10">
          Back
        </Button>
      )}
      {next !== undefined && (
        <Button look="primary" onClick={() => step!.go(next)}>
          Next: {stepNames[next].toLowerCase()}
        </Button>
      )}
      {canCheck(found) && (
        <Button busy={check.isPending} onClick={act(check)} look="primary">
          Check
        </Button>
      )}
      {canStart(found) && (step === undefined || step.name === 'review') && (
        <Button busy={start.isPending} onClick={act(start)} look="primary">
          {startLabel(found)}
        </Button>
      )}
      {canUndo(found) && (
        <Button busy={undo.isPending} onClick={act(undo)} className="h-10">
          Undo…
        </Button>
      )}
      {canDiscard(found) && (
        <Button look="remove" busy={discard.isPending} onClick={act(discard)} className="h-10">
          Discard
        </Button>
      )}
    </div>
  )
}

const canCheck = ({ state, isInterrupted, receivedBytes, sizeBytes }: Import) =>
  (state === 'uploading' && receivedBytes === sizeBytes) || (state === 'checking' && isInterrupted)

const canStart = ({ state, isInterrupted, created, updated, removed, origin, undoes }: Import) =>
  (state === 'checked' && created + updated + removed > 0) ||
  (state === 'importing' && isInterrupted && (origin !== 'command' || undoes !== null))

const startLabel = ({ state, undoes }: Import) => {
  if (state === 'importing') return 'Restart'
  return undoes !== null ? 'Undo' : 'Import'
}

const canUndo = ({ isUndoable, created, updated, removed, undo }: Import) =>
  isUndoable && created + updated + removed > 0 && undo === null

const canDiscard = ({ state, isInterrupted }: Import) =>
  ['uploading', 'checking', 'checked'].includes(state) || (state === 'importing' && isInterrupted)

/** Shows the state of an import and what happens next. */
function Progress({ found }: { found: Import }) {
  const total = found.sample === null ? null : sumOf(found.sample.counts)
  return (
    <>
      <p role="status" className="text-pretty">
        {sentenceOf(found, total)}
      </p>
      {isUnderway(found) && (
        <ProgressBar
          label={found.state === 'checking' ? 'Check' : 'Import'}
          value={found.state === 'checking' || !total ? null : Math.min(1, sumOf(found) / total)}
        />
      )}
    </>
  )
}

/** Returns a sentence with the number of unreadable values that are left out. */
const unreadableText = ({ unreadable }: Import) =>
  unreadable === 0 ? '' : ` ${formatCountOf(unreadable, 'value')} left out as unreadable.`

function undoSentenceOf({ created, updated, removed, rejected }: Import): string {
  if (created + updated + removed === 0)
    return 'Nothing to undo: its deals have changed or been removed since.'
  const left = rejected === 0 ? '' : ' Deals changed since then are left unchanged.'
  return `Review what the undo changes. Nothing has changed yet.${left}`
}

function sentenceOf(found: Import, total: number | null): string {
  const { state, isInterrupted, receivedBytes, sizeBytes, problem } = found
  const done = sumOf(found)
  const reason = problem ?? 'Its process stopped.'
  switch (state) {
    case 'uploading':
      return receivedBytes === sizeBytes
        ? 'Uploaded. Waiting for other imports to finish before the check.'
        : `${Math.floor((100 * receivedBytes) / sizeBytes)}% uploaded. If the upload was abandoned, discard it and upload the file again.`
    case 'checking':
      return isInterrupted
        ? `The check was interrupted. ${reason} Nothing has changed. Check the file again.`
        : `Checking: ${formatCountOf(done, 'record')} so far. Nothing changes yet.`
    case 'checked':
      if (found.undoes !== null) return undoSentenceOf(found)
      if (found.sample?.sheetProblem !== undefined) return 'Choose another sheet.'
      if (found.sample?.columnProblem !== undefined)
        return 'Choose the header row or the fields of the columns.'
      if (found.created + found.updated === 0)
        return found.rejected === 0
          ? 'Nothing to import: all records are up to date.'
          : 'Nothing to import. See the rejected records.'
      return `Nothing has changed yet.${found.rejected === 0 ? '' : ' Rejected records are skipped.'}${unreadableText(found)}`
    case 'importing':
      return isInterrupted
        ? `The import was interrupted after ${formatCountOf(done, 'record')}. ${reason} Restart it: records already imported stay unchanged.`
        : `Importing: ${formatCount(done)} of ${formatCountOf(total ?? 0, 'record')}. You can leave this page.`
    case 'done':
      if (found.undoes !== null)
        return `Undone.${found.rejected === 0 ? '' : ` ${formatCountOf(found.rejected, 'deal')} left unchanged.`}`
      return found.rejected === 0
        ? `Import complete.${unreadableText(found)}`
        : `Imported; ${formatCountOf(found.rejected, 'record')} rejected.${unreadableText(found)}`
    case 'failed':
      return problem ?? 'The import failed.'
  }
}

type Failure = Parameters<typeof refusalMessage>[0]

// True if the import has changed since the page loaded.
const isOutdated = ({ data }: Failure) => data?.code === 'PRECONDITION_FAILED'

/**
 * Returns the actions on an import and the error of the last action, if any. Only one action runs at a time.
 */
function useActions(
  { id, state, events: writesEvents }: Pick<Import, 'id' | 'state' | 'events'>,
  events: boolean,
) {
  const router = useRouter()
  const { imports } = trpc.useUtils()
  const refresh = () => imports.one.invalidate({ id })
  const onError = (error: Failure) => {
    if (isOutdated(error)) void refresh()
  }
  const check = trpc.imports.check.useMutation({ onSuccess: refresh, onError })
  const start = trpc.imports.start.useMutation({ onSuccess: refresh, onError })
  const undo = trpc.imports.undo.useMutation({
    async onSuccess({ id: undoId }) {
      router.push(`/imports/${undoId}`)
      await imports.list.invalidate()
    },
    onError,
  })
  const discard = trpc.imports.discard.useMutation({
    async onSuccess() {
      toast.success('File discarded.')
      if (state === 'importing') return refresh()
      router.push('/imports')
      await imports.list.invalidate()
    },
    onError,
  })
  const all = [check, start, undo, discard]
  const isBusy = all.some(({ isPending }) => isPending)
  const action = (isPending: boolean, mutate: () => void) => ({
    isPending,
    run: () => {
      if (!isBusy) mutate()
    },
  })
  const failure = all.map(({ error }) => error).find((error) => error !== null && !isOutdated(error))
  return {
    check: action(check.isPending, () => check.mutate({ id })),
    start: action(start.isPending, () =>
      start.mutate({ id, ...(writesEvents && !events && { events: false }) }),
    ),
    undo: action(undo.isPending, () => undo.mutate({ id })),
    discard: action(discard.isPending, () => discard.mutate({ id })),
    problem: failure ? refusalMessage(failure) : null,
  }
}
