'use client'

import { useRef } from 'react'
import { refusalMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { button } from '#app/ui/button.ts'
import { Confirm } from '#app/ui/confirm.tsx'
import { toast } from '#app/ui/toast.tsx'
import { useFormat } from '#app/ui/zone.tsx'
import type { EndpointKind } from '#server/webhooks/delivery.ts'
import type { TestResult } from '#server/webhooks/send-test.ts'
import { endpointLabels } from './labels.ts'

/** Shows until when the old secret is valid, and lets an admin retire it. */
export function Rotation({ expiresAt, mayManage }: { expiresAt: Date; mayManage: boolean }) {
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
          <Retire
            isBusy={finish.isPending}
            onYes={() => {
              if (!finish.isPending) finish.mutate()
            }}
          />
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
      trigger={
        <button type="button" aria-busy={isBusy} className={`${button.plain} aria-busy:opacity-70`}>
          Retire old secret
        </button>
      }
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
