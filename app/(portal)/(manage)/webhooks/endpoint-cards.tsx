'use client'

import { type ReactNode, useId, useRef } from 'react'
import { trpc } from '#app/trpc.ts'
import { Badge } from '#app/ui/badge.tsx'
import { Button } from '#app/ui/button.tsx'
import { formatCount } from '#app/ui/format.ts'
import { Link } from '#app/ui/link.tsx'
import { When, useFormat } from '#app/ui/times.tsx'
import { toastFailure } from '#app/ui/toast-failure.ts'
import { toast } from '#app/ui/toast.tsx'
import type { EndpointKind } from '#server/webhooks/delivery.ts'
import type { EndpointHealth } from '#server/webhooks/store.ts'
import { deliveriesHref } from '../deliveries/query.ts'
import { answerText, endpointStatus, endpointLabels, kinds } from './labels.ts'

/** Shows the status of both endpoints, with a button that enables a disabled one. */
export function EndpointCards({ endpoints, nowMs }: { endpoints: EndpointHealth[]; nowMs: number }) {
  const cards = useRef<HTMLDivElement>(null)
  return (
    <div
      ref={cards}
      tabIndex={-1}
      role="group"
      aria-label="Endpoint status"
      className="mb-6 grid gap-4 rounded-xl outline-offset-4 md:grid-cols-2"
    >
      {kinds.map((kind) => {
        const endpoint = endpoints.find((each) => each.kind === kind)
        const isOff =
          endpoint !== undefined &&
          endpoint.switchedOffBecause !== null &&
          endpoint.switchedOffBecause !== 'suspended'
        return (
          <EndpointCard key={kind} kind={kind} endpoint={endpoint} nowMs={nowMs}>
            {isOff && <SwitchOn kind={kind} onDone={() => cards.current?.focus()} />}
          </EndpointCard>
        )
      })}
    </div>
  )
}

/** Shows the status of one of the two endpoints; `children` are its actions. */
function EndpointCard({
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
  const { formatDuration } = useFormat()
  const id = useId()
  const { label, tone, text } = endpointStatus(endpoint)
  const { state, since } = endpoint?.health ?? { state: null, since: null }
  return (
    <section aria-labelledby={id} className="flex flex-col rounded-xl border border-line bg-surface p-5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h2 id={id} className="font-semibold">
          {endpointLabels[kind].label}
        </h2>
        <Badge tone={tone}>{label}</Badge>
        {since !== null && (
          <span className="text-ink-soft">
            {state === 'failing' ? `for ${formatDuration(since, nowMs)}` : <When at={since} nowMs={nowMs} />}
          </span>
        )}
      </div>
      {endpoint !== undefined && (
        <p className="mt-1 font-mono text-xs wrap-anywhere text-ink-soft">{endpoint.url}</p>
      )}
      <p className="mt-3 text-pretty">{text}</p>
      {endpoint !== undefined && <Facts kind={kind} endpoint={endpoint} nowMs={nowMs} />}
      {children}
    </section>
  )
}

function Facts({
  kind,
  endpoint: {
    health: { answer },
    lastSuccessAt,
    waiting,
    retrying,
  },
  nowMs,
}: {
  kind: EndpointKind
  endpoint: EndpointHealth
  nowMs: number
}) {
  return (
    <dl className="mt-3 grid grid-cols-[auto_1fr] gap-x-5 gap-y-1">
      {answer !== null && (
        <>
          <dt className="text-ink-soft">Last response</dt>
          <dd className="wrap-anywhere">{answerText(answer)}</dd>
        </>
      )}
      <dt className="text-ink-soft">Last success</dt>
      <dd>{lastSuccessAt === null ? 'Never' : <When at={lastSuccessAt} nowMs={nowMs} />}</dd>
      <dt className="text-ink-soft">Waiting</dt>
      <dd>
        <PendingLink count={waiting} kind={kind} state="waiting" />
      </dd>
      {retrying > 0 && (
        <>
          <dt className="text-ink-soft">Retrying</dt>
          <dd>
            <PendingLink count={retrying} kind={kind} state="retrying" />
          </dd>
        </>
      )}
    </dl>
  )
}

function PendingLink({
  count,
  kind,
  state,
}: {
  count: number
  kind: EndpointKind
  state: 'waiting' | 'retrying'
}) {
  if (count === 0) return 'None'
  return (
    <Link href={deliveriesHref({ kind, state })} className="underline underline-offset-2">
      {formatCount(count)} {count === 1 ? 'delivery' : 'deliveries'}
    </Link>
  )
}

/** Enables an endpoint. */
function SwitchOn({ kind, onDone }: { kind: EndpointKind; onDone: () => void }) {
  const { webhooks } = trpc.useUtils()
  const switchOn = trpc.webhooks.switchOn.useMutation({
    async onSuccess() {
      await webhooks.status.invalidate()
      toast.success('Endpoint switched on. Waiting events are being sent.')
      // The focused button disappears.
      onDone()
    },
    onError: toastFailure,
  })
  return (
    <Button
      busy={switchOn.isPending}
      onClick={() => switchOn.mutate({ kind })}
      className="mt-4 self-start"
      look="primary"
      about={endpointLabels[kind].label}
    >
      Switch on
    </Button>
  )
}
