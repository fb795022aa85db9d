import type { ReactNode } from 'react'
import { Badge } from '#app/ui/badge.tsx'
import { Link } from '#app/ui/link.tsx'
import { useFormat } from '#app/ui/zone.tsx'
import { withdrawals } from '#server/webhooks/wire.ts'
import { dealTitle } from '../../../deals/deal-name.ts'
import { endpointLabels } from '../../webhooks/labels.ts'
import { states } from '../labels.ts'
import type { Delivery } from './delivery.ts'

/** Shows the status of a delivery, and what it is about. */
export function DeliveryFacts({
  delivery: { kind, dealId, deal, partner, state, createdAt, messageId, withdrawnBecause },
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
      <Fact label="Endpoint">{endpointLabels[kind].label}</Fact>
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
