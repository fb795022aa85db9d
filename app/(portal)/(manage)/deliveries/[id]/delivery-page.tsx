'use client'

import { RotateCcw } from 'lucide-react'
import type { ReactNode } from 'react'
import { type Outputs, trpc } from '#app/trpc.ts'
import { Badge } from '#app/ui/badge.tsx'
import { Button } from '#app/ui/button.tsx'
import { CodeBlock } from '#app/ui/copy.tsx'
import { failureMessage } from '#app/ui/failure-message.ts'
import { formatCount } from '#app/ui/format.ts'
import { Link } from '#app/ui/link.tsx'
import { PageHead } from '#app/ui/page-head.tsx'
import { QueryState } from '#app/ui/states.tsx'
import { When, useFormat } from '#app/ui/times.tsx'
import { toast } from '#app/ui/toast.tsx'
import { indentJson } from '#server/values/int64.ts'
import { attemptRetentionDays } from '#server/webhooks/policy.ts'
import { type LogState, withdrawals } from '#server/webhooks/wire.ts'
import { dealTitle } from '../../../deals/deal-text.ts'
import { endpointLabel, eventLabel } from '../../webhooks/labels.ts'
import { describeProgress, states } from '../labels.ts'

const refreshMs = 3000

/** Shows a delivery with its attempts and the event's body. */
export function DeliveryPage({ id }: { id: number }) {
  const query = trpc.deliveries.get.useQuery(
    { id },
    { refetchInterval: ({ state }) => (state.data?.finishedAt === null ? refreshMs : false) },
  )
  return (
    <QueryState what="this delivery" level={1} query={query} data={query.data}>
      {(delivery) => <DeliveryParts delivery={delivery} nowMs={query.dataUpdatedAt} />}
    </QueryState>
  )
}

function DeliveryParts({ delivery, nowMs }: { delivery: Delivery; nowMs: number }) {
  const { kind, type, sequence, body, withdrawnBecause } = delivery
  return (
    <>
      <p className="mb-3">
        <Link href="/deliveries" className="rounded text-ink-soft hover:text-ink hover:underline">
          ← Deliveries
        </Link>
      </p>
      <PageHead
        title={`${eventLabel(kind, type)} ${sequence === null ? '(test)' : `#${sequence}`}`}
        about={describeProgress(delivery, nowMs)}
      >
        {sequence !== null && withdrawnBecause === null && <Resend delivery={delivery} />}
      </PageHead>
      <DeliveryFacts delivery={delivery} />
      <h2 className="mb-3 font-semibold">Attempts</h2>
      <Attempts delivery={delivery} nowMs={nowMs} />
      <h2 className="mb-3 font-semibold">Body</h2>
      {body === null ? (
        <p className="text-ink-soft">The event is past its retention period.</p>
      ) : (
        <CodeBlock label="Body" text={indentJson(body)} copy={body} />
      )}
    </>
  )
}

function Attempts({ delivery: { attempts, attemptCount }, nowMs }: { delivery: Delivery; nowMs: number }) {
  if (attempts.length === 0)
    return (
      <p className="mb-6 text-ink-soft">
        {attemptCount === 0 ? 'None yet.' : `Attempts are deleted after ${attemptRetentionDays} days.`}
      </p>
    )
  return (
    <ol className="mb-6 flex flex-col gap-3">
      {attempts.toReversed().map((attempt, index) => (
        <li key={attempt.number}>
          <AttemptCard attempt={attempt} isOpen={index === 0} nowMs={nowMs} />
        </li>
      ))}
    </ol>
  )
}

type Attempt = Delivery['attempts'][number]

function AttemptCard({ attempt, isOpen, nowMs }: { attempt: Attempt; isOpen: boolean; nowMs: number }) {
  const { number, startedAt, durationMs, url, requestHeaders, refusals } = attempt
  const { status, error, responseHeaders, responseBody } = attempt
  const isAccepted = error === null && status !== null && status >= 200 && status < 300
  const request = [
    `POST ${url}`,
    ...Object.entries(requestHeaders).map(([name, value]) => `${name}: ${value}`),
  ].join('\n')
  return (
    <details open={isOpen} className="rounded-xl border border-line bg-surface">
      <summary className="flex-wrap gap-x-4 gap-y-1 rounded-xl px-4 py-3 sm:px-5">
        <span className="font-medium">Attempt {number}</span>
        <Badge tone={isAccepted ? 'good' : 'bad'}>
          {status === null ? 'No response' : `Status ${status}`}
        </Badge>
        <span className="text-ink-soft tabular-nums">{formatCount(durationMs)} ms</span>
        {refusals > 0 && <span className="text-ink-soft">refused {formatCount(refusals + 1)} times</span>}
        <span className="ml-auto text-ink-soft">
          <When at={startedAt} nowMs={nowMs} />
        </span>
      </summary>
      <div className="flex flex-col gap-4 border-t border-line p-4 sm:p-5">
        {error !== null && <p className="text-bad">{error}</p>}
        <div>
          <h3 className="mb-1.5 font-medium">Request</h3>
          <CodeBlock label="Request" text={request} />
        </div>
        {status !== null && (
          <div>
            <h3 className="mb-1.5 font-medium">Response</h3>
            <CodeBlock
              label="Response"
              text={[
                `Status ${status}`,
                responseHeaders,
                '',
                responseBody === '' ? '(no body)' : indentJson(responseBody),
              ]
                .join('\n')
                .replace(/\n{3,}/g, '\n\n')}
            />
          </div>
        )}
      </div>
    </details>
  )
}

/** Shows the status of a delivery and its event. */
function DeliveryFacts({
  delivery: { kind, endpointName, dealId, deal, partner, state, createdAt, messageId, withdrawnBecause },
}: {
  delivery: Delivery
}) {
  const { formatInstant } = useFormat()
  return (
    <dl className="mb-6 grid grid-cols-[auto_1fr] gap-x-6 gap-y-2 rounded-xl border border-line bg-surface p-5">
      <Fact label="Status">
        <Badge tone={states[state].tone}>{states[state].label}</Badge>
      </Fact>
      {withdrawnBecause !== null && <Fact label="Cannot be resent">{withdrawals[withdrawnBecause]}</Fact>}
      <Fact label="Partner">{partner.name}</Fact>
      <Fact label="Endpoint">{endpointLabel(kind, endpointName)}</Fact>
      <Fact label="Deal">
        {dealId === null ? (
          'None (test event)'
        ) : (
          <Link href={`/deals/${dealId}`} className="rounded font-medium hover:underline">
            {dealTitle({ ...deal, id: dealId })}
          </Link>
        )}
        {deal !== null && <span className="text-ink-soft tabular-nums"> {String(dealId)}</span>}
      </Fact>
      <Fact label="Created">{formatInstant(createdAt)}</Fact>
      <Fact label="webhook-id">
        <span className="font-mono text-[0.8125rem] wrap-anywhere">{messageId}</span>
      </Fact>
    </dl>
  )
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-ink-soft">{label}</dt>
      <dd>{children}</dd>
    </>
  )
}

const labels: Record<LogState, string> = {
  waiting: 'Send now',
  retrying: 'Retry now',
  delivered: 'Resend',
  failed: 'Resend',
}

function Resend({ delivery: { id, state } }: { delivery: Delivery }) {
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
  return (
    <Button busy={resend.isPending} onClick={() => resend.mutate({ id })}>
      <RotateCcw aria-hidden="true" className="size-4" />
      {labels[state]}
    </Button>
  )
}

/** A delivery with its attempts and event body. */
type Delivery = Outputs['deliveries']['get']
