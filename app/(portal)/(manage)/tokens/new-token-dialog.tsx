import { type ReactNode, useState } from 'react'
import { button } from '#app/ui/button.ts'
import { CodeBlock } from '#app/ui/code-block.tsx'
import { CopyButton } from '#app/ui/copy-button.tsx'
import { Dialog } from '#app/ui/dialog.tsx'
import { FormProblem } from '#app/ui/form-problem.tsx'
import { useFormat } from '#app/ui/zone.tsx'
import type { NewToken } from '#server/tokens/wire.ts'

type Made = NewToken & {
  /** When the token that it replaces expires. */
  oldEndsAt?: Date
}

/** A dialog with the form that makes a token. Once it is `made`, shows it instead, the only time it can be shown. */
export function NewTokenDialog({
  title,
  titleOnceMade,
  made,
  onClose,
  children,
}: {
  title: string
  titleOnceMade: string
  made: Made | undefined
  onClose: () => void
  children: ReactNode
}) {
  const [isLeaving, setLeaving] = useState(false)
  if (made === undefined)
    return (
      <Dialog title={title} onClose={onClose}>
        {children}
      </Dialog>
    )
  return (
    <Dialog title={titleOnceMade} onClose={() => setLeaving(true)}>
      <TokenShown made={made} isLeaving={isLeaving} onDone={onClose} />
    </Dialog>
  )
}

/** `isLeaving`: the user tried to close the dialog without confirming. */
function TokenShown({
  made: { token, curl, expiresAt, oldEndsAt },
  isLeaving,
  onDone,
}: {
  made: Made
  isLeaving: boolean
  onDone: () => void
}) {
  const { formatInstant } = useFormat()
  return (
    <div className="-mx-6 flex min-h-0 flex-col gap-4 overflow-y-auto px-6">
      <p role="status" className="text-pretty">
        Copy it now: it cannot be shown again.
        {expiresAt !== null && ` It expires ${formatInstant(expiresAt)}.`}
        {oldEndsAt !== undefined &&
          (oldEndsAt.getTime() > Date.now()
            ? ` The old token expires ${formatInstant(oldEndsAt)}.`
            : ' The old token has expired.')}
      </p>
      <p
        role="group"
        aria-label="Token"
        className="rounded-lg bg-sunken p-4 font-mono text-[0.8125rem]/5 wrap-anywhere select-all"
      >
        {token}
      </p>
      {curl !== null && (
        <div>
          <p className="mb-1.5 text-pretty">Try it in a terminal:</p>
          <CodeBlock label="Command" text={curl} />
        </div>
      )}
      <FormProblem problem={isLeaving ? 'Copy the token first: it cannot be shown again.' : null} />
      <div className="flex flex-wrap justify-end gap-3">
        <CopyButton label="Copy token" confirmation="Token copied." text={() => token} />
        <button type="button" onClick={onDone} className={button.primary}>
          Done
        </button>
      </div>
    </div>
  )
}
