'use client'

import type { inferRouterOutputs } from '@trpc/server'
import { MonitorSmartphone } from 'lucide-react'
import { useRef } from 'react'
import { failureMessage } from '#app/failure-message.ts'
import { leaveFor } from '#app/leave-document.ts'
import { trpc } from '#app/trpc.ts'
import { Badge } from '#app/ui/badge.tsx'
import { button } from '#app/ui/button.ts'
import { Confirm } from '#app/ui/confirm.tsx'
import { formatCountOf } from '#app/ui/format.ts'
import { SubmitButton } from '#app/ui/submit-button.tsx'
import { toast } from '#app/ui/toast.tsx'
import { useFormat } from '#app/ui/zone.tsx'
import type { Api } from '#server/api.ts'
import { signOut } from '../sign-out.ts'

type Session = inferRouterOutputs<Api>['accounts']['sessions'][number]

/** Shows the browsers in which the user is signed in, and signs out of one or all. */
export function Sessions() {
  const { data: sessions = [], dataUpdatedAt: nowMs } = trpc.accounts.sessions.useQuery()
  const { accounts } = trpc.useUtils()
  const list = useRef<HTMLUListElement>(null)
  const end = trpc.accounts.endSession.useMutation({
    async onSettled(_, error) {
      // A session that is not found has already ended.
      if (error !== null && error.data?.code !== 'NOT_FOUND') return onError(error)
      await accounts.sessions.invalidate()
      toast.success('Browser signed out.')
      // The button that had the focus disappears.
      list.current?.focus()
    },
  })
  return (
    <>
      <ul
        ref={list}
        tabIndex={-1}
        aria-label="Sessions"
        className="divide-y divide-line rounded-lg outline-offset-4"
      >
        {sessions.map((session) => (
          <SessionRow
            key={session.id}
            session={session}
            nowMs={nowMs}
            isEnding={end.isPending && end.variables.id === session.id}
            onEnd={() => {
              if (!end.isPending) end.mutate({ id: session.id })
            }}
          />
        ))}
      </ul>
      <div className="mt-3 border-t border-line pt-5">
        <SignOutEverywhere count={sessions.length} />
      </div>
    </>
  )
}

const onError = (error: unknown) => void toast.error(failureMessage(error))

function SessionRow({
  session: { isThis, browser, signedInAt, expiresAt },
  nowMs,
  isEnding,
  onEnd,
}: {
  session: Session
  nowMs: number
  isEnding: boolean
  onEnd: () => void
}) {
  const { formatAgo, formatInstant } = useFormat()
  const since = signedInAt.toISOString()
  const label = (
    <>
      Sign out
      <span className="sr-only">
        {' '}
        {browser}, signed in {formatAgo(since, nowMs)}
      </span>
    </>
  )
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 py-3 first:pt-0">
      <MonitorSmartphone aria-hidden="true" className="size-5 shrink-0 text-ink-soft" />
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
          <span className="font-medium wrap-anywhere">{browser}</span>
          {isThis && <Badge tone="good">This browser</Badge>}
        </p>
        <p className="text-ink-soft">
          Signed in{' '}
          <time dateTime={since} title={formatInstant(since)}>
            {formatAgo(since, nowMs)}
          </time>
          <span className="max-sm:hidden">
            , expires <time dateTime={expiresAt.toISOString()}>{formatInstant(expiresAt)}</time>
          </span>
        </p>
      </div>
      {isThis ? (
        <form action={signOut}>
          <button type="submit" className={button.plain}>
            {label}
          </button>
        </form>
      ) : (
        <SubmitButton type="button" look="plain" busy={isEnding} onClick={onEnd}>
          {label}
        </SubmitButton>
      )}
    </li>
  )
}

function SignOutEverywhere({ count }: { count: number }) {
  const endAll = trpc.accounts.signOutEverywhere.useMutation({
    onSuccess: () => leaveFor('/sign-in'),
    onError,
  })
  return (
    <Confirm
      trigger={
        <button
          type="button"
          aria-busy={endAll.isPending}
          className={`${button.plain} h-10 aria-busy:opacity-70`}
        >
          Sign out everywhere
        </button>
      }
      title="Sign out everywhere?"
      yes="Sign out everywhere"
      no="Cancel"
      onYes={() => endAll.mutate()}
    >
      {count > 1 && `This ends all ${formatCountOf(count, 'session')}. `}You will also be signed out of this
      browser.
    </Confirm>
  )
}
