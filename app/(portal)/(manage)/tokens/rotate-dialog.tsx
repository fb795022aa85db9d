import { useState } from 'react'
import { refusalMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { DialogActions } from '#app/ui/dialog-actions.tsx'
import { FormProblem } from '#app/ui/form-problem.tsx'
import { SelectField } from '#app/ui/select-field.tsx'
import { useFormat } from '#app/ui/zone.tsx'
import { type TokenLine, graces } from '#server/tokens/wire.ts'
import { graceLabels, whoUsed } from './labels.ts'
import { NewTokenDialog } from './new-token-dialog.tsx'

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
  const { formatAgo } = useFormat()
  const { tokens } = trpc.useUtils()
  const [grace, setGrace] = useState<(typeof graces)[number]>('24h')
  const rotate = trpc.tokens.rotate.useMutation({ onSuccess: () => tokens.invalidate() })
  return (
    <NewTokenDialog
      title={`Rotate “${name}”`}
      titleOnceMade="Token rotated"
      made={rotate.data}
      onClose={onClose}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (!rotate.isPending) rotate.mutate({ id, grace })
        }}
        className="flex flex-col gap-5"
      >
        <FormProblem problem={rotate.error && problemOf(rotate.error)} />
        <p className="text-pretty">
          A new token with the same name, scopes and validity replaces{' '}
          <span className="font-mono text-xs">{prefix}…</span>. Both work until the old one expires, so you
          can switch without downtime.
          {lastUse !== null &&
            ` The old one was last used ${formatAgo(lastUse.at, nowMs)} ${whoUsed(lastUse)}`.trimEnd() + '.'}
        </p>
        <SelectField
          label="Old token expires"
          choices={choices}
          value={grace}
          onChange={({ target: { value } }) => setGrace(graces.find((each) => each === value)!)}
        />
        <DialogActions busy={rotate.isPending} onCancel={onClose}>
          Rotate token
        </DialogActions>
      </form>
    </NewTokenDialog>
  )
}

function problemOf(error: Parameters<typeof refusalMessage>[0]): string {
  return error.data?.code === 'NOT_FOUND' ? 'This token no longer exists.' : refusalMessage(error)
}
