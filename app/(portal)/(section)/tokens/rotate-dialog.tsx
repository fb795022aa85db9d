import { useState } from 'react'
import { failureMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { button } from '#app/ui/button.ts'
import { Dialog } from '#app/ui/dialog.tsx'
import { FormProblem } from '#app/ui/form-problem.tsx'
import { formatAgo } from '#app/ui/format.ts'
import { SelectField } from '#app/ui/select-field.tsx'
import { SubmitButton } from '#app/ui/submit-button.tsx'
import { type TokenLine, graces } from '#server/tokens/wire.ts'
import { graceLabels, whoUsed } from './labels.ts'
import { NewTokenShown } from './new-token-shown.tsx'

const choices = graces.map((grace) => ({ value: grace, label: graceLabels[grace] }))

/** Lets a new token take the place of one, and shows it, this once. */
export function RotateDialog({
  token: { id, name, prefix, lastUse },
  nowMs,
  onClose,
}: {
  token: TokenLine
  nowMs: number
  onClose: () => void
}) {
  const { tokens } = trpc.useUtils()
  const [grace, setGrace] = useState<(typeof graces)[number]>('24h')
  const [isLeaving, setLeaving] = useState(false)
  const rotate = trpc.tokens.rotate.useMutation({ onSuccess: () => tokens.invalidate() })
  if (rotate.data !== undefined) {
    return (
      <Dialog title={`The new “${name}”`} onClose={() => setLeaving(true)}>
        <NewTokenShown
          made={rotate.data}
          oldEndsAt={rotate.data.oldEndsAt}
          isLeaving={isLeaving}
          onKept={onClose}
        />
      </Dialog>
    )
  }
  const { error } = rotate
  return (
    <Dialog title={`Rotate “${name}”`} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (!rotate.isPending) rotate.mutate({ id, grace })
        }}
        className="flex flex-col gap-5"
      >
        <FormProblem
          problem={
            error &&
            (error.data?.code === 'BAD_REQUEST'
              ? `${error.message}.`
              : error.data?.code === 'NOT_FOUND'
                ? 'This token is not there any more.'
                : failureMessage(error))
          }
        />
        <p className="text-pretty">
          A new token of the same name, scopes and length of life takes the place of{' '}
          <span className="font-mono text-xs">{prefix}…</span>. Both work meanwhile, so that you can change it
          without a gap.
          {lastUse !== null &&
            ` The old one was used ${formatAgo(lastUse.at.toISOString(), nowMs)} ${whoUsed(lastUse)}`.trimEnd() +
              '.'}
        </p>
        <SelectField
          label="How long the old one works on"
          choices={choices}
          value={grace}
          onChange={({ target: { value } }) => setGrace(graces.find((each) => each === value)!)}
        />
        <div className="flex flex-wrap justify-end gap-3">
          <button type="button" onClick={onClose} className={`${button.plain} h-10`}>
            Cancel
          </button>
          <SubmitButton busy={rotate.isPending}>Rotate token</SubmitButton>
        </div>
      </form>
    </Dialog>
  )
}
