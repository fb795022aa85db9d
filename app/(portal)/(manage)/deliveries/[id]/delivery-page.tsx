'use client'

import { trpc } from '#app/trpc.ts'
import { CodeBlock } from '#app/ui/code-block.tsx'
import { Link } from '#app/ui/link.tsx'
import { PageHead } from '#app/ui/page-head.tsx'
import { QueryState } from '#app/ui/query-state.tsx'
import { attemptRetentionDays } from '#server/webhooks/policy.ts'
import { endpointLabels } from '../../webhooks/labels.ts'
import { describeProgress } from '../labels.ts'
import { AttemptCard } from './attempt-card.tsx'
import type { Delivery } from './delivery.ts'
import { DeliveryFacts } from './facts.tsx'
import { readable } from './readable.ts'
import { Resend } from './resend.tsx'

const refreshMs = 3000

/** Shows a delivery with its attempts and the event's body. */
export function DeliveryPage({ id }: { id: number }) {
  const query = trpc.deliveries.get.useQuery(
    { id },
    {
      refetchInterval: ({ state }) => (state.data?.finishedAt === null ? refreshMs : false),
    },
  )
  return (
    <QueryState what="this delivery" level={1} query={query} data={query.data}>
      {(delivery) => <DeliveryParts delivery={delivery} nowMs={query.dataUpdatedAt} />}
    </QueryState>
  )
}

function DeliveryParts({ delivery, nowMs }: { delivery: Delivery; nowMs: number }) {
  const { kind, sequence, body, withdrawnBecause } = delivery
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
        {sequence !== null && withdrawnBecause === null && <Resend delivery={delivery} />}
      </PageHead>
      <DeliveryFacts delivery={delivery} />
      <h2 className="mb-3 font-semibold">Attempts</h2>
      <Attempts delivery={delivery} nowMs={nowMs} />
      <h2 className="mb-3 font-semibold">Body</h2>
      {body === null ? (
        <p className="text-ink-soft">The event is past its retention period.</p>
      ) : (
        <CodeBlock label="Body" text={readable(body)} copy={body} />
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
