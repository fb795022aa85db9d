'use client'

import { type ReactNode, useId } from 'react'
import { Badge } from '#app/ui/badge.tsx'
import { formatCount, formatDuration } from '#app/ui/format.ts'
import { Link } from '#app/ui/link.tsx'
import { When } from '#app/ui/when.tsx'
import type { EndpointKind } from '#server/webhooks/delivery.ts'
import type { EndpointHealth } from '#server/webhooks/store.ts'
import { deliveriesHref } from '../deliveries/query.ts'
import { endpointStatus } from './endpoint-status.ts'
import { endpointLabels } from './labels.ts'

/** Shows the status of one of the two endpoints; `children` are its actions. */
export function EndpointCard({
  kind,
  endpoint,
  nowMs,
  children,
}: {
  kind: EndpointKind
  endpoint: EndpointHealth | undefined
  nowMs: number
  children?: ReactNode
}) {
  const id = useId()
  const { label, tone, text, failingSince, switchedOffAt } = endpointStatus(endpoint)
  return (
    <section aria-labelledby={id} className="flex flex-col rounded-xl border border-line bg-surface p-5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h2 id={id} className="font-semibold">
          {endpointLabels[kind].label}
        </h2>
        <Badge tone={tone}>{label}</Badge>
        {failingSince !== null && (
          <span className="text-ink-soft">for {formatDuration(failingSince.toISOString(), nowMs)}</span>
        )}
        {switchedOffAt !== null && (
          <span className="text-ink-soft">
            <When at={switchedOffAt} nowMs={nowMs} />
          </span>
        )}
      </div>
      {endpoint !== undefined && (
        <p className="mt-1 font-mono text-xs wrap-anywhere text-ink-soft">{endpoint.url}</p>
      )}
      <p className="mt-3 text-pretty">{text}</p>
      {endpoint !== undefined && (
        <dl className="mt-3 grid grid-cols-[auto_1fr] gap-x-5 gap-y-1">
          <dt className="text-ink-soft">Last success</dt>
          <dd>
            {endpoint.lastSuccessAt === null ? 'Never' : <When at={endpoint.lastSuccessAt} nowMs={nowMs} />}
          </dd>
          <dt className="text-ink-soft">Waiting</dt>
          <dd>
            {endpoint.waiting === 0 ? (
              'None'
            ) : (
              <Link
                href={deliveriesHref({ kind, state: 'waiting' })}
                className="underline underline-offset-2"
              >
                {formatCount(endpoint.waiting)} {endpoint.waiting === 1 ? 'delivery' : 'deliveries'}
              </Link>
            )}
          </dd>
        </dl>
      )}
      {children}
    </section>
  )
}
