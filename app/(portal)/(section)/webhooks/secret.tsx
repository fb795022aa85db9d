'use client'

import { Eye, EyeOff } from 'lucide-react'
import { useRef, useState } from 'react'
import { failureMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { button } from '#app/ui/button.ts'
import { Confirm } from '#app/ui/confirm.tsx'
import { CopyButton } from '#app/ui/copy-button.tsx'
import { formatInstant } from '#app/ui/format.ts'
import { SubmitButton } from '#app/ui/submit-button.tsx'
import { toast } from '#app/ui/toast.tsx'
import { formatSpan } from '#server/protocol/units.ts'
import { secretOverlapMs } from '#server/webhooks/policy.ts'
import { endpointLabels } from './labels.ts'

type Problem = { message: string; data?: { code: string } | null | undefined }

const describe = (error: Problem) =>
  error.data?.code === 'BAD_REQUEST' ? `${error.message}.` : failureMessage(error)

/** Shows the signing secret and lets admins reveal and rotate it. Operators only see since when it is in use. */
export function Secret({ isAdmin }: { isAdmin: boolean }) {
  const { data: secrets = [] } = trpc.webhooks.secrets.useQuery()
  const [shown, show] = useState<string | null>(null)
  const { webhooks } = trpc.useUtils()
  const onError = (error: Problem) => void toast.error(describe(error))
  const reveal = trpc.webhooks.reveal.useMutation({
    onSuccess: ([current]) => show(current!.secret),
    onError,
  })
  const rotate = trpc.webhooks.rotate.useMutation({
    async onSuccess([current]) {
      show(current!.secret)
      await webhooks.secrets.invalidate()
      toast.success('New secret in use. Add it to your receiver.')
    },
    onError,
  })
  const [current] = secrets
  const oldExpiresAt = secrets
    .slice(1)
    .reduce<Date | null>(
      (last, { expiresAt }) => (last === null || expiresAt! > last ? expiresAt : last),
      null,
    )
  return (
    <>
      <p className="font-mono text-sm wrap-anywhere" aria-label="Signing secret" role="group">
        {shown ?? 'whsec_••••••••••••••••••••••••'}
      </p>
      {current !== undefined && (
        <p className="mt-1 text-ink-soft">In use since {formatInstant(current.createdAt.toISOString())}.</p>
      )}
      {isAdmin && (
        <div className="mt-4 flex flex-wrap gap-2">
          <SubmitButton
            type="button"
            look="plain"
            busy={reveal.isPending}
            onClick={() => {
              if (shown !== null) show(null)
              else if (!reveal.isPending) reveal.mutate()
            }}
          >
            {shown === null ? (
              <>
                <Eye aria-hidden="true" className="size-4" />
                Reveal
              </>
            ) : (
              <>
                <EyeOff aria-hidden="true" className="size-4" />
                Hide
              </>
            )}
          </SubmitButton>
          {shown !== null && <CopyButton label="Copy" said="Secret copied." text={() => shown} />}
          <Confirm
            trigger={
              <button
                type="button"
                aria-busy={rotate.isPending}
                className={`${button.plain} aria-busy:opacity-70`}
              >
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
            {formatSpan(secretOverlapMs)}: update your receiver within that time, or it will reject every
            event.
          </Confirm>
        </div>
      )}
      {oldExpiresAt !== null && <Rotation expiresAt={oldExpiresAt} isAdmin={isAdmin} />}
    </>
  )
}

/** Shows until when the old secret is valid, and lets an admin retire it. */
function Rotation({ expiresAt, isAdmin }: { expiresAt: Date; isAdmin: boolean }) {
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
        <time dateTime={expiresAt.toISOString()}>{formatInstant(expiresAt.toISOString())}</time>. Add the new
        one to your receiver before then.
      </p>
      {isAdmin && (
        <div className="mt-3">
          <Confirm
            trigger={
              <button
                type="button"
                aria-busy={finish.isPending}
                className={`${button.plain} aria-busy:opacity-70`}
              >
                Retire old secret
              </button>
            }
            title="Retire the old secret now?"
            yes="Test and retire"
            no="Cancel"
            onYes={() => {
              if (!finish.isPending) finish.mutate()
            }}
          >
            Each endpoint first receives a test event signed with only the new secret. If one rejects it,
            nothing changes. If all accept it, receivers that still use the old secret reject every event from
            then on.
          </Confirm>
        </div>
      )}
      <div role="alert" className="empty:hidden">
        {finish.error !== null && <p className="mt-3">{describe(finish.error)}</p>}
        {rejecting.length > 0 && (
          <>
            <p className="mt-3">
              The old secret stays valid, because a test event signed with only the new one was rejected:
            </p>
            <ul className="mt-1 list-disc pl-5">
              {rejecting.map(({ kind, status, error }) => (
                <li key={kind}>
                  {endpointLabels[kind].label}:{' '}
                  {status === null ? `no response, ${error}` : `status ${status}`}
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </section>
  )
}
