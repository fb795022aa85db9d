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
import { endpointLabels } from './labels.ts'

type Problem = { message: string; data?: { code: string } | null | undefined }

const wordsFor = (error: Problem) =>
  error.data?.code === 'BAD_REQUEST' ? `${error.message}.` : failureMessage(error)

/** The secret that signs, and the way from one to the next. Operators see no more than since when it signs. */
export function Secret({ isAdmin }: { isAdmin: boolean }) {
  const { data: secrets = [] } = trpc.webhooks.secrets.useQuery()
  const [shown, show] = useState<string | null>(null)
  const { webhooks } = trpc.useUtils()
  const onError = (error: Problem) => void toast.error(wordsFor(error))
  const reveal = trpc.webhooks.reveal.useMutation({
    onSuccess: ([current]) => show(current!.secret),
    onError,
  })
  const rotate = trpc.webhooks.rotate.useMutation({
    async onSuccess([current]) {
      show(current!.secret)
      await webhooks.secrets.invalidate()
      toast.success('The new secret signs from now on. Put it into your receiver.')
    },
    onError,
  })
  const [current] = secrets
  const lastEnd = secrets
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
        <p className="mt-1 text-ink-soft">
          It has signed since {formatInstant(current.createdAt.toISOString())}.
        </p>
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
          {shown !== null && <CopyButton label="Copy" said="The secret is copied." text={() => shown} />}
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
            title="Rotate the secret?"
            yes="Rotate"
            no="Keep it"
            onYes={() => {
              if (!rotate.isPending) rotate.mutate()
            }}
          >
            A new secret signs at once. The present one signs along for 24 hours, so that nothing is refused
            if you change it in your receiver within that time. After that a receiver that still verifies with
            it refuses every event.
          </Confirm>
        </div>
      )}
      {lastEnd !== null && <Rotation end={lastEnd} isAdmin={isAdmin} />}
    </>
  )
}

/** Says that an older secret signs along, and lets that end. */
function Rotation({ end, isAdmin }: { end: Date; isAdmin: boolean }) {
  const { webhooks } = trpc.useUtils()
  const section = useRef<HTMLElement>(null)
  const finish = trpc.webhooks.finishRotation.useMutation({
    async onSuccess({ isFinished }) {
      if (!isFinished) return section.current?.focus()
      toast.success('The older secret has ended: only the new one signs.')
      await webhooks.secrets.invalidate()
    },
  })
  const refusing = finish.data?.tests.filter(({ state }) => state !== 'delivered') ?? []
  return (
    <section
      ref={section}
      tabIndex={-1}
      aria-label="Rotation"
      className="mt-5 rounded-lg bg-wait-soft p-4 text-wait outline-offset-4"
    >
      <p className="text-pretty">
        The older secret signs along until{' '}
        <time dateTime={end.toISOString()}>{formatInstant(end.toISOString())}</time>. Put the new one into
        your receiver before that.
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
                Finish now
              </button>
            }
            title="End the older secret now?"
            yes="Test and end it"
            no="Leave it"
            onYes={() => {
              if (!finish.isPending) finish.mutate()
            }}
          >
            Each address first gets a test that only the new secret has signed. If one does not accept it,
            nothing changes. If all do, the older secret ends at once, and whatever still verifies with it
            refuses every event.
          </Confirm>
        </div>
      )}
      <div role="alert" className="empty:hidden">
        {finish.error !== null && <p className="mt-3">{wordsFor(finish.error)}</p>}
        {refusing.length > 0 && (
          <>
            <p className="mt-3">
              The older secret goes on signing, because a test with the new one alone was not accepted:
            </p>
            <ul className="mt-1 list-disc pl-5">
              {refusing.map(({ kind, status, error }) => (
                <li key={kind}>
                  {endpointLabels[kind].label} answered{' '}
                  {status === null ? `nothing: ${error}` : `with ${status}`}
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </section>
  )
}
