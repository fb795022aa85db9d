'use client'

import { CircleCheck, CircleDashed, CircleX, Info, type LucideIcon, TriangleAlert } from 'lucide-react'
import { useId, useRef } from 'react'
import { trpc } from '#app/trpc.ts'
import { Badge } from '#app/ui/badge.tsx'
import { Button } from '#app/ui/button.tsx'
import { failureMessage } from '#app/ui/failure-message.ts'
import { formatCount, formatCountOf } from '#app/ui/format.ts'
import { Link } from '#app/ui/link.tsx'
import { When, useFormat } from '#app/ui/times.tsx'
import { done, toastFailure } from '#app/ui/toast-failure.ts'
import type { EndpointKind } from '#server/webhooks/delivery.ts'
import type { Check, Finding, Verdict } from '#server/webhooks/diagnosis.ts'
import type { EndpointHealth } from '#server/webhooks/store.ts'
import type { LogState } from '#server/webhooks/wire.ts'
import { answerText, endpointStatus, endpointLabels, kinds } from './labels.ts'

/** Returns a mutation that tests an endpoint by sending a test event. */
export function useEndpointTest(kind: EndpointKind) {
  const { webhooks } = trpc.useUtils()
  const test = trpc.webhooks.examine.useMutation({
    trpc: { context: { isAlone: true } },
    // The status includes the endpoint's health.
    onSettled: () => webhooks.status.invalidate(),
  })
  return { ...test, start: () => test.mutate({ kind }) }
}

type EndpointTest = ReturnType<typeof useEndpointTest>

/** Shows the status of both endpoints, with buttons to test an endpoint or enable a disabled one. */
export function EndpointCards({
  endpoints,
  tests,
  nowMs,
}: {
  endpoints: EndpointHealth[]
  tests: Record<EndpointKind, EndpointTest>
  nowMs: number
}) {
  const cards = useRef<HTMLDivElement>(null)
  return (
    <div
      ref={cards}
      tabIndex={-1}
      role="group"
      aria-label="Endpoint status"
      className="mb-6 grid gap-4 rounded-xl outline-offset-4 md:grid-cols-2"
    >
      {kinds.map((kind) => (
        <EndpointCard
          key={kind}
          kind={kind}
          endpoint={endpoints.find((each) => each.kind === kind)}
          test={tests[kind]}
          nowMs={nowMs}
          onSwitchedOn={() => cards.current?.focus()}
        />
      ))}
    </div>
  )
}

function EndpointCard({
  kind,
  endpoint,
  test,
  nowMs,
  onSwitchedOn,
}: {
  kind: EndpointKind
  endpoint: EndpointHealth | undefined
  test: EndpointTest
  nowMs: number
  onSwitchedOn: () => void
}) {
  const { formatDuration } = useFormat()
  const id = useId()
  const { label, tone, text } = endpointStatus(endpoint)
  const { state, since } = endpoint?.health ?? { state: null, since: null }
  const because = endpoint?.switchedOffBecause ?? null
  return (
    <section aria-labelledby={id} className="rounded-xl border border-line bg-surface p-5">
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
      <p className="mt-3 text-pretty">{text}</p>
      {endpoint !== undefined && (
        <>
          <Facts kind={kind} endpoint={endpoint} nowMs={nowMs} />
          <div className="mt-4 flex flex-wrap gap-2">
            {because !== null && because !== 'suspended' && <SwitchOn kind={kind} onDone={onSwitchedOn} />}
            <Button busy={test.isPending} onClick={test.start} about={endpointLabels[kind].label}>
              Send test
            </Button>
          </div>
          <TestOutcome url={endpoint.url} test={test} />
        </>
      )}
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
      <dd>
        <When at={lastSuccessAt} nowMs={nowMs} />
      </dd>
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

function PendingLink({ count, kind, state }: { count: number; kind: EndpointKind; state: LogState }) {
  if (count === 0) return 'None'
  return (
    <Link href={`/deliveries?kind=${kind}&state=${state}`} className="underline underline-offset-2">
      {formatCount(count)} {count === 1 ? 'delivery' : 'deliveries'}
    </Link>
  )
}

function SwitchOn({ kind, onDone }: { kind: EndpointKind; onDone: () => void }) {
  const { webhooks } = trpc.useUtils()
  const switchOn = trpc.webhooks.switchOn.useMutation({
    // `onDone` moves the focus, because the focused button disappears.
    ...done(
      () => webhooks.status.invalidate(),
      'Endpoint switched on. Waiting events are being sent.',
      onDone,
    ),
    onError: toastFailure,
  })
  return (
    <Button
      busy={switchOn.isPending}
      onClick={() => switchOn.mutate({ kind })}
      look="primary"
      about={endpointLabels[kind].label}
    >
      Switch on
    </Button>
  )
}

const titles: Record<Check, string> = {
  address: 'DNS',
  certificate: 'Certificate',
  answer: 'Response',
  redirect: 'No redirects',
  accepts: 'Accepts a valid signature',
  refuses: 'Rejects an invalid signature',
}

const verdicts: Record<Verdict, { icon: LucideIcon; label: string; color: string }> = {
  good: { icon: CircleCheck, label: 'Passed', color: 'text-good' },
  info: { icon: Info, label: 'Note', color: 'text-info' },
  warning: { icon: TriangleAlert, label: 'Warning', color: 'text-wait' },
  bad: { icon: CircleX, label: 'Failed', color: 'text-bad' },
  unseen: { icon: CircleDashed, label: 'Skipped', color: 'text-ink-soft' },
}

/** Shows the result of an endpoint's test, unless the URL has changed since. */
function TestOutcome({ url, test: { data, error, isPending } }: { url: string; test: EndpointTest }) {
  const tested = !isPending && data?.url === url ? data : null
  return (
    <>
      <p role="status" className="mt-4 text-ink-soft empty:hidden">
        {isPending && 'Testing, this takes a few seconds…'}
        {!isPending && error !== null && failureMessage(error)}
        {tested !== null && summaryOf(tested.findings)}
        {tested?.deliveryId != null && (
          <>
            {' '}
            <Link href={`/deliveries/${tested.deliveryId}`} className="underline underline-offset-2">
              View request and response
            </Link>
          </>
        )}
      </p>
      {tested !== null && (
        <ul className="mt-3 flex flex-col gap-3">
          {tested.findings.map(({ check, verdict, text }) => {
            const { icon: Icon, label, color } = verdicts[verdict]
            return (
              <li key={check} className="flex gap-2.5">
                <Icon aria-hidden="true" className={`mt-0.5 size-4 shrink-0 ${color}`} />
                <div className="min-w-0">
                  <p className="font-medium">
                    <span className="sr-only">{label}: </span>
                    {titles[check]}
                  </p>
                  <p className="text-pretty wrap-anywhere text-ink-soft">{text}</p>
                </div>
              </li>
            )
          })}
        </ul>
      )}
    </>
  )
}

function summaryOf(findings: Finding[]): string {
  const count = (verdict: Verdict) => findings.filter((finding) => finding.verdict === verdict).length
  const [failed, warnings] = [count('bad'), count('warning')]
  if (failed > 0) return `${formatCountOf(failed, 'check')} failed.`
  return warnings > 0 ? `Works, with ${formatCountOf(warnings, 'warning')}.` : 'All checks passed.'
}
