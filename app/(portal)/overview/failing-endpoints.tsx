'use client'

import { TriangleAlert } from 'lucide-react'
import { trpc } from '#app/trpc.ts'
import { type Format, formatCount } from '#app/ui/format.ts'
import { Link } from '#app/ui/link.tsx'
import { useFormat } from '#app/ui/times.tsx'
import type { UnhealthyEndpoint } from '#server/webhooks/store.ts'
import { answerText } from '../(manage)/webhooks/endpoint-status.ts'
import { endpointLabels } from '../(manage)/webhooks/labels.ts'

const refreshMs = 30_000

/** Shows admins failing or disabled endpoints, or nothing. */
export function FailingEndpoints() {
  const { data = [], dataUpdatedAt: nowMs } = trpc.webhooks.troubled.useQuery(undefined, {
    refetchInterval: refreshMs,
  })
  const format = useFormat()
  if (data.length === 0) return null
  return (
    <section
      aria-label="Failing webhooks"
      className="mb-5 flex gap-3 rounded-xl bg-bad-soft px-4 py-3 text-bad"
    >
      <TriangleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
      <ul className="flex min-w-0 flex-col gap-2">
        {data.map((endpoint) => (
          <li key={endpoint.kind} className="text-pretty wrap-anywhere">
            <span className="font-medium">{headline(endpoint, nowMs, format)}</span> {details(endpoint)}{' '}
            <Link href="/webhooks" className="font-medium underline underline-offset-2">
              Check the endpoint<span className="sr-only"> for {endpointLabels[endpoint.kind].label}</span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}

function headline(
  { kind, health: { state, since } }: UnhealthyEndpoint,
  nowMs: number,
  format: Format,
): string {
  const what = `Webhooks for ${endpointLabels[kind].label.toLowerCase()}`
  const span = format.formatDuration(since!, nowMs)
  return state === 'off' ? `${what} were switched off ${span} ago.` : `${what} have been failing for ${span}.`
}

function details({ health: { answer }, pending, pendingIsMore }: UnhealthyEndpoint): string {
  const last = answer === null ? '' : `Last response: ${answerText(answer)}. `
  if (pending === 0) return `${last}No deliveries are pending.`
  const count = `${pendingIsMore ? 'More than ' : ''}${formatCount(pending)}`
  return `${last}${count} ${pending === 1 ? 'delivery is' : 'deliveries are'} pending.`
}
