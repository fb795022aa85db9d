'use client'

import { Eye, EyeOff } from 'lucide-react'
import { useState } from 'react'
import { refusalMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { button } from '#app/ui/button.ts'
import { Confirm } from '#app/ui/confirm.tsx'
import { CopyButton } from '#app/ui/copy-button.tsx'
import { SubmitButton } from '#app/ui/submit-button.tsx'
import { toast } from '#app/ui/toast.tsx'
import { useFormat } from '#app/ui/zone.tsx'
import { formatSpan } from '#server/protocol/units.ts'
import { secretOverlapMs } from '#server/webhooks/policy.ts'
import { Rotation } from './rotation.tsx'

/** Shows the signing secret and lets admins reveal and rotate it. Operators only see since when it is in use. */
export function Secret({ mayManage }: { mayManage: boolean }) {
  const { formatInstant } = useFormat()
  const { data: secrets = [] } = trpc.webhooks.secrets.useQuery()
  const [shown, show] = useState<string | null>(null)
  const [current, ...old] = secrets
  const lastExpiresAt = old
    .map(({ expiresAt }) => expiresAt!)
    .toSorted((a, b) => b.getTime() - a.getTime())[0]
  return (
    <>
      <p className="font-mono text-sm wrap-anywhere" aria-label="Signing secret" role="group">
        {shown ?? 'whsec_••••••••••••••••••••••••'}
      </p>
      {current !== undefined && (
        <p className="mt-1 text-ink-soft">In use since {formatInstant(current.createdAt)}.</p>
      )}
      {mayManage && (
        <div className="mt-4 flex flex-wrap gap-2">
          <Reveal shown={shown} show={show} />
          {shown !== null && <CopyButton label="Copy" confirmation="Secret copied." text={() => shown} />}
          <Rotate onRotated={show} />
        </div>
      )}
      {lastExpiresAt !== undefined && <Rotation expiresAt={lastExpiresAt} mayManage={mayManage} />}
    </>
  )
}

const onError = (error: Parameters<typeof refusalMessage>[0]) => void toast.error(refusalMessage(error))

function Reveal({ shown, show }: { shown: string | null; show: (secret: string | null) => void }) {
  const reveal = trpc.webhooks.reveal.useMutation({
    onSuccess: ([current]) => show(current!.secret),
    onError,
  })
  const Icon = shown === null ? Eye : EyeOff
  return (
    <SubmitButton
      type="button"
      look="plain"
      busy={reveal.isPending}
      onClick={() => {
        if (shown !== null) show(null)
        else if (!reveal.isPending) reveal.mutate()
      }}
    >
      <Icon aria-hidden="true" className="size-4" />
      {shown === null ? 'Reveal' : 'Hide'}
    </SubmitButton>
  )
}

function Rotate({ onRotated }: { onRotated: (secret: string) => void }) {
  const { webhooks } = trpc.useUtils()
  const rotate = trpc.webhooks.rotate.useMutation({
    async onSuccess([current]) {
      onRotated(current!.secret)
      await webhooks.secrets.invalidate()
      toast.success('New secret in use. Add it to your receiver.')
    },
    onError,
  })
  return (
    <Confirm
      trigger={
        <button type="button" aria-busy={rotate.isPending} className={`${button.plain} aria-busy:opacity-70`}>
          Rotate
        </button>
      }
      title="Rotate the signing secret?"
      yes="Rotate"
      no="Cancel"
      onYes={() => {
        if (!rotate.isPending) rotate.mutate()
      }}
    >
      Events are signed with a new secret immediately. The current one stays valid for{' '}
      {formatSpan(secretOverlapMs)}: update your receiver within that time, or it will reject every event.
    </Confirm>
  )
}
