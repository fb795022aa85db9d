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

/** Replaces a token with a new one and shows it, once. */
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
      <Dialog title="Token rotated" onClose={() => setLeaving(true)}>
        <NewTokenShown
          made={rotate.data}
          oldEndsAt={rotate.data.oldEndsAt}
          isLeaving={isLeaving}
          onDone={onClose}
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
                ? 'This token no longer exists.'
                : failureMessage(error))
          }
        />
        <p className="text-pretty">
          A new token with the same name, scopes and validity replaces{' '}
          <span className="font-mono text-xs">{prefix}…</span>. Both work until the old one expires, so you
          can switch without downtime.
          {lastUse !== null &&
            ` The old one was last used ${formatAgo(lastUse.at.toISOString(), nowMs)} ${whoUsed(lastUse)}`.trimEnd() +
              '.'}
        </p>
        <SelectField
          label="Old token expires"
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
