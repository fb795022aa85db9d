'use client'

import { Eye, EyeOff } from 'lucide-react'
import { useRef, useState } from 'react'
import { refusalMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { Button } from '#app/ui/button.tsx'
import { Confirm } from '#app/ui/confirm.tsx'
import { CopyButton } from '#app/ui/copy.tsx'
import { useFormat } from '#app/ui/times.tsx'
import { toast } from '#app/ui/toast.tsx'
import { formatSpan } from '#server/protocol/units.ts'
import type { EndpointKind } from '#server/webhooks/delivery.ts'
import { secretOverlapMs } from '#server/webhooks/policy.ts'
import type { TestResult } from '#server/webhooks/send-test.ts'
import { endpointLabels } from './labels.ts'

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
    <Button
      busy={reveal.isPending}
      onClick={() => {
        if (shown !== null) show(null)
        else reveal.mutate()
      }}
    >
      <Icon aria-hidden="true" className="size-4" />
      {shown === null ? 'Reveal' : 'Hide'}
    </Button>
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
      trigger={<Button busy={rotate.isPending}>Rotate</Button>}
      title="Rotate the signing secret?"
      yes="Rotate"
      no="Cancel"
      onYes={() => rotate.mutate()}
    >
      Events are signed with a new secret immediately. The current one stays valid for{' '}
      {formatSpan(secretOverlapMs)}: update your receiver within that time, or it will reject every event.
    </Confirm>
  )
}

/** Shows until when the old secret is valid, and lets an admin retire it. */
function Rotation({ expiresAt, mayManage }: { expiresAt: Date; mayManage: boolean }) {
  const { formatInstant } = useFormat()
  const { webhooks } = trpc.useUtils()
  const section = useRef<HTMLElement>(null)
  const finish = trpc.webhooks.finishRotation.useMutation({
    async onSuccess({ isFinished }) {
      if (!isFinished) return section.current?.focus()
      toast.success('Old secret retired.')
      await webhooks.secrets.invalidate()
    },
  })
  const rejecting = finish.data?.tests.filter(({ state }) => state !== 'delivered') ?? []
  return (
    <section
      ref={section}
      tabIndex={-1}
      aria-label="Rotation"
      className="mt-5 rounded-lg bg-wait-soft p-4 text-wait outline-offset-4"
    >
      <p className="text-pretty">
        The old secret stays valid until{' '}
        <time dateTime={expiresAt.toISOString()}>{formatInstant(expiresAt)}</time>. Add the new one to your
        receiver before then.
      </p>
      {mayManage && (
        <div className="mt-3">
          <Retire isBusy={finish.isPending} onYes={() => finish.mutate()} />
        </div>
      )}
      <div role="alert" className="empty:hidden">
        {finish.error !== null && <p className="mt-3">{refusalMessage(finish.error)}</p>}
        {rejecting.length > 0 && <Rejections tests={rejecting} />}
      </div>
    </section>
  )
}

function Retire({ isBusy, onYes }: { isBusy: boolean; onYes: () => void }) {
  return (
    <Confirm
      trigger={<Button busy={isBusy}>Retire old secret</Button>}
      title="Retire the old secret now?"
      yes="Test and retire"
      no="Cancel"
      onYes={onYes}
    >
      Each endpoint first receives a test event signed with only the new secret. If one rejects it, nothing
      changes. If all accept it, receivers that still use the old secret reject every event from then on.
    </Confirm>
  )
}

function Rejections({ tests }: { tests: (Pick<TestResult, 'status' | 'error'> & { kind: EndpointKind })[] }) {
  return (
    <>
      <p className="mt-3">
        The old secret stays valid, because a test event signed with only the new one was rejected:
      </p>
      <ul className="mt-1 list-disc pl-5">
        {tests.map(({ kind, status, error }) => (
          <li key={kind}>
            {endpointLabels[kind].label}: {status === null ? `no response, ${error}` : `status ${status}`}
          </li>
        ))}
      </ul>
    </>
  )
}
