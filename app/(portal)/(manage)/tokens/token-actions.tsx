import { failureMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { button } from '#app/ui/button.ts'
import { Confirm } from '#app/ui/confirm.tsx'
import { toast } from '#app/ui/toast.tsx'
import { useFormat } from '#app/ui/zone.tsx'
import type { TokenLine } from '#server/tokens/wire.ts'
import { distinctLabel, revokeText } from './labels.ts'

/** Shows the actions for a token. Calls `onGone` when its row disappears. */
export function TokenActions({
  token,
  nowMs,
  onUsage,
  onRotate,
  onGone,
}: {
  token: TokenLine
  nowMs: number
  onUsage: (token: TokenLine) => void
  onRotate: (token: TokenLine) => void
  onGone: (() => void) | undefined
}) {
  const hasEnded = token.state === 'expired' || token.state === 'revoked'
  return (
    <div className="flex flex-wrap gap-2 whitespace-nowrap sm:justify-end xl:flex-nowrap">
      <button type="button" onClick={() => onUsage(token)} className={button.plain}>
        Usage<span className="sr-only"> of {distinctLabel(token)}</span>
      </button>
      {token.state !== 'replaced' && !hasEnded && (
        <button type="button" onClick={() => onRotate(token)} className={button.plain}>
          Rotate<span className="sr-only"> {distinctLabel(token)}</span>
        </button>
      )}
      {!hasEnded && <Revoke token={token} nowMs={nowMs} onGone={onGone} />}
    </div>
  )
}

function Revoke({
  token,
  nowMs,
  onGone,
}: {
  token: TokenLine
  nowMs: number
  onGone: (() => void) | undefined
}) {
  const format = useFormat()
  const { tokens } = trpc.useUtils()
  const revoke = trpc.tokens.revoke.useMutation({
    async onSettled(_, error) {
      // A token that is not found was revoked by someone else.
      if (error !== null && error.data?.code !== 'NOT_FOUND') return void toast.error(failureMessage(error))
      await tokens.invalidate()
      toast.success(`“${token.name}” revoked.`)
      onGone?.()
    },
  })
  return (
    <Confirm
      trigger={
        // Reloaded, so that the dialog shows the latest use.
        <button
          type="button"
          aria-busy={revoke.isPending}
          onClick={() => void tokens.list.invalidate()}
          className={`${button.plain} aria-busy:opacity-70`}
        >
          Revoke<span className="sr-only"> {distinctLabel(token)}</span>
        </button>
      }
      title={`Revoke “${token.name}”?`}
      yes="Revoke token"
      no="Cancel"
      onYes={() => {
        if (!revoke.isPending) revoke.mutate({ id: token.id })
      }}
    >
      {revokeText(token, nowMs, format)}
    </Confirm>
  )
}
