'use client'

import { useEffect, useRef } from 'react'
import { FormProblem } from '#app/ui/form-problem.tsx'
import { SubmitButton } from '#app/ui/submit-button.tsx'
import type { Import } from '../labels.ts'
import { Progress } from './progress.tsx'
import { useActions } from './use-actions.ts'

/** Shows the progress of an import and its actions. */
export function Work({ found }: { found: Import }) {
  const { state, isInterrupted } = found
  const actions = useActions(found)
  const { problem } = actions
  const place = useRef<HTMLDivElement>(null)
  const hasActed = useRef(false)
  const act = (action: { run: () => void }) => () => {
    hasActed.current = true
    action.run()
  }
  // The buttons that had the focus disappear.
  useEffect(() => {
    if (hasActed.current) place.current?.focus()
  }, [state, isInterrupted])
  return (
    <section
      ref={place}
      tabIndex={-1}
      aria-label="Progress"
      className="mb-6 flex flex-col gap-4 rounded-xl border border-line bg-surface p-5 outline-none sm:p-6"
    >
      <Progress found={found} />
      <FormProblem problem={problem} />
      <Buttons found={found} actions={actions} act={act} />
    </section>
  )
}

type Actions = ReturnType<typeof useActions>

/** Shows the buttons of what can be done with the import. */
function Buttons({
  found,
  actions: { check, start, startQuietly, undo, discard },
  act,
}: {
  found: Import
  actions: Actions
  act: (action: Actions['check']) => () => void
}) {
  const { state, events } = found
  return (
    <div className="flex flex-wrap gap-2 empty:hidden">
      {canCheck(found) && (
        <SubmitButton type="button" busy={check.isPending} onClick={act(check)}>
          Check
        </SubmitButton>
      )}
      {canStart(found) && (
        <SubmitButton type="button" busy={start.isPending} onClick={act(start)}>
          {startLabel(found)}
        </SubmitButton>
      )}
      {canStart(found) && state === 'checked' && events && (
        <SubmitButton
          type="button"
          look="plain"
          busy={startQuietly.isPending}
          onClick={act(startQuietly)}
          className="h-10"
        >
          {startLabel(found)} without webhooks
        </SubmitButton>
      )}
      {canUndo(found) && (
        <SubmitButton type="button" look="plain" busy={undo.isPending} onClick={act(undo)} className="h-10">
          Undo…
        </SubmitButton>
      )}
      {canDiscard(found) && (
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
