'use client'

import { CloudOff, RotateCcw } from 'lucide-react'
import { failureMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { Badge } from '#app/ui/badge.tsx'
import { button } from '#app/ui/button.ts'
import { CodeBlock } from '#app/ui/code-block.tsx'
import { formatInstant } from '#app/ui/format.ts'
import { Link } from '#app/ui/link.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { PageHead } from '#app/ui/page-head.tsx'
import { SubmitButton } from '#app/ui/submit-button.tsx'
import { toast } from '#app/ui/toast.tsx'
import { attemptRetentionDays } from '#server/webhooks/policy.ts'
import { withdrawals } from '#server/webhooks/wire.ts'
import { endpointLabels } from '../../webhooks/labels.ts'
import { describeProgress, states } from '../labels.ts'
import { AttemptCard } from './attempt-card.tsx'
import { readable } from './readable.ts'

const refreshMs = 3000

/** Shows a delivery with its attempts and the event's body. */
export function DeliveryPage({ id }: { id: number }) {
  const {
    data: delivery,
    error,
    refetch,
    dataUpdatedAt: nowMs,
  } = trpc.deliveries.get.useQuery(
    { id },
    {
      refetchInterval: ({ state }) => (state.data?.state === 'waiting' ? refreshMs : false),
    },
  )
  const { deliveries } = trpc.useUtils()
  const resend = trpc.deliveries.resend.useMutation({
    async onSuccess() {
      toast.success('Sending now.')
      await deliveries.invalidate()
    },
    onError: (refusal) =>
      void toast.error(
        refusal.data?.code === 'NOT_FOUND'
          ? 'Cannot resend: no URL is set for this endpoint.'
          : failureMessage(refusal),
      ),
  })
  if (delivery === undefined) {
    return error === null ? (
      <p role="status" className="text-ink-soft">
        Loading delivery…
      </p>
    ) : (
      <Notice
        icon={CloudOff}
        level={1}
        title="Could not load this delivery"
        action={
          <button type="button" onClick={() => refetch()} className={button.primary}>
            Try again
          </button>
        }
      >
        {failureMessage(error)}
      </Notice>
    )
  }
  const { kind, sequence, dealId, partner, state, createdAt, messageId, body, attempts, withdrawnBecause } =
    delivery
  return (
    <>
      <p className="mb-3">
        <Link href="/deliveries" className="rounded text-ink-soft hover:text-ink hover:underline">
          ← Deliveries
        </Link>
      </p>
      <PageHead
        title={`${endpointLabels[kind].event} ${sequence === null ? '(test)' : `#${sequence}`}`}
        about={describeProgress(delivery, nowMs)}
      >
        {sequence !== null && withdrawnBecause === null && (
          <SubmitButton
            type="button"
            look="plain"
            busy={resend.isPending}
            onClick={() => {
              if (!resend.isPending) resend.mutate({ id })
            }}
          >
            <RotateCcw aria-hidden="true" className="size-4" />
            {state === 'waiting' ? 'Send now' : 'Resend'}
          </SubmitButton>
        )}
      </PageHead>
      <dl className="mb-6 grid grid-cols-[auto_1fr] gap-x-6 gap-y-2 rounded-xl border border-line bg-surface p-5">
        <dt className="text-ink-soft">Status</dt>
        <dd>
          <Badge tone={states[state].tone}>{states[state].label}</Badge>
        </dd>
        {withdrawnBecause !== null && (
          <>
            <dt className="text-ink-soft">Cannot be resent</dt>
            <dd>{withdrawals[withdrawnBecause]}</dd>
          </>
        )}
        <dt className="text-ink-soft">Partner</dt>
        <dd>{partner.name}</dd>
        <dt className="text-ink-soft">Endpoint</dt>
        <dd>{endpointLabels[kind].label}</dd>
        <dt className="text-ink-soft">Deal</dt>
        <dd>
          {dealId === null ? (
            'None (test event)'
          ) : (
            <Link href={`/deals/${dealId}`} className="rounded font-medium hover:underline">
              {String(dealId)}
            </Link>
          )}
        </dd>
        <dt className="text-ink-soft">Created</dt>
        <dd>{formatInstant(createdAt.toISOString())}</dd>
        <dt className="text-ink-soft">webhook-id</dt>
        <dd className="font-mono text-[0.8125rem] wrap-anywhere">{messageId}</dd>
      </dl>
      <h2 className="mb-3 font-semibold">Attempts</h2>
      {attempts.length === 0 ? (
        <p className="mb-6 text-ink-soft">
          {delivery.attemptCount === 0
            ? 'None yet.'
            : `Attempts are deleted after ${attemptRetentionDays} days.`}
        </p>
      ) : (
        <ol className="mb-6 flex flex-col gap-3">
          {attempts.toReversed().map((attempt, index) => (
            <li key={attempt.number}>
              <AttemptCard attempt={attempt} isOpen={index === 0} nowMs={nowMs} />
            </li>
          ))}
        </ol>
      )}
      <h2 className="mb-3 font-semibold">Body</h2>
      {body === null ? (
        <p className="text-ink-soft">The event is past its retention period.</p>
      ) : (
        <CodeBlock label="Body" text={readable(body)} copy={body} />
      )}
    </>
  )
}
