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
  const { check, start, discard, problem } = useActions(found)
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
      <div className="flex flex-wrap gap-2 empty:hidden">
        {canCheck(found) && (
          <SubmitButton type="button" busy={check.isPending} onClick={act(check)}>
            Check
          </SubmitButton>
        )}
        {canStart(found) && (
          <SubmitButton type="button" busy={start.isPending} onClick={act(start)}>
            {state === 'importing' ? 'Restart' : 'Import'}
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
    </section>
  )
}

const canCheck = ({ state, isInterrupted, receivedBytes, sizeBytes }: Import) =>
  (state === 'uploading' && receivedBytes === sizeBytes) || (state === 'checking' && isInterrupted)

const canStart = ({ state, isInterrupted, created, updated }: Import) =>
  (state === 'checked' && created + updated > 0) || (state === 'importing' && isInterrupted)

const canDiscard = ({ state, isInterrupted }: Import) =>
  ['uploading', 'checking', 'checked'].includes(state) || (state === 'importing' && isInterrupted)
