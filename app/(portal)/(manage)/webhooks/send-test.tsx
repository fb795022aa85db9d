'use client'

import { failureMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { Badge } from '#app/ui/badge.tsx'
import { Link } from '#app/ui/link.tsx'
import { SubmitButton } from '#app/ui/submit-button.tsx'
import type { EndpointKind } from '#server/webhooks/delivery.ts'
import type { TestResult } from '#server/webhooks/send-test.ts'
import { endpointLabels } from './labels.ts'

/** Sends a test event to an endpoint and shows the response. */
export function SendTest({ kind }: { kind: EndpointKind }) {
  const { webhooks } = trpc.useUtils()
  const test = trpc.webhooks.test.useMutation({
    trpc: { context: { isAlone: true } },
    // Tells the health of the endpoint too.
    onSettled: () => webhooks.status.invalidate(),
  })
  const { event } = endpointLabels[kind]
  return (
    <div className="border-b border-line pb-4 last:border-0 last:pb-0">
      <SubmitButton
        type="button"
        look="plain"
        busy={test.isPending}
        onClick={() => {
          if (!test.isPending) test.mutate({ kind })
        }}
      >
        Send test {event}
      </SubmitButton>
      <div role="status" aria-label={`Result of test ${event}`} className="mt-3 empty:hidden">
        {test.isPending && <p className="text-ink-soft">Waiting for a response…</p>}
        {test.error !== null && <p className="text-bad">{failureMessage(test.error)}</p>}
        {test.data !== undefined && <Result result={test.data} />}
      </div>
    </div>
  )
}

function Result({ result: { id, state, status, error, durationMs, responseBody } }: { result: TestResult }) {
  return (
    <>
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Badge tone={state === 'delivered' ? 'good' : 'bad'}>
          {state === 'delivered' ? 'Delivered' : 'Failed'}
        </Badge>
        <span>
          {status === null ? 'No response' : `Status ${status}`} after {durationMs} ms
          {error !== null && `: ${error}`}
        </span>
        <Link href={`/deliveries/${id}`} className="font-medium text-accent underline underline-offset-2">
          View request and response
        </Link>
      </p>
      {responseBody !== '' && (
        <pre
          tabIndex={0}
          role="region"
          aria-label="Response body"
          className="mt-2 max-h-40 overflow-auto rounded-lg bg-sunken px-3 py-2 font-mono text-xs whitespace-pre-wrap wrap-anywhere"
        >
          {responseBody}
        </pre>
      )}
    </>
  )
}
