'use client'

import { Webhook } from 'lucide-react'
import { useState } from 'react'
import { failureMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { Badge } from '#app/ui/badge.tsx'
import { Button } from '#app/ui/button.tsx'
import { CodeBlock } from '#app/ui/copy.tsx'
import { SelectField } from '#app/ui/fields.tsx'
import { Key } from '#app/ui/key.tsx'
import { Link } from '#app/ui/link.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { PageHead, Panel } from '#app/ui/page-head.tsx'
import { Loading, QueryState } from '#app/ui/states.tsx'
import { isAdmin } from '#server/accounts/role.ts'
import type { EndpointKind } from '#server/webhooks/delivery.ts'
import type { TestResult } from '#server/webhooks/send-test.ts'
import type { EndpointHealth } from '#server/webhooks/store.ts'
import { seesAllPartners } from '../../frame/viewer.ts'
import { EndpointCards } from './endpoint-cards.tsx'
import { Endpoints } from './endpoints.tsx'
import { endpointLabels, kinds } from './labels.ts'
import { Secret } from './secret.tsx'
import { languages } from './snippets/languages.ts'
import { TeamChannels } from './team-channels.tsx'

const refreshMs = 15_000

/** Shows a partner's endpoints, their status and their signing secret. Operators see no secret. */
export function WebhooksPage() {
  const { data: me } = trpc.accounts.me.useQuery()
  const isUnchosen = me !== undefined && seesAllPartners(me)
  const status = trpc.webhooks.status.useQuery(undefined, {
    enabled: me !== undefined && !isUnchosen,
    refetchInterval: refreshMs,
  })
  return (
    <>
      <PageHead title="Webhooks" about="Send new deals and deal updates to your system within seconds." />
      {isUnchosen ? (
        <Notice icon={Webhook} title="Select a partner">
          Endpoints belong to a partner. Select one at the top of the page.
        </Notice>
      ) : (
        <QueryState
          what="endpoints"
          query={status}
          data={me && status.data && { me, endpoints: status.data }}
        >
          {({ me: { role }, endpoints }) => (
            <Parts endpoints={endpoints} nowMs={status.dataUpdatedAt} mayManage={isAdmin(role)} />
          )}
        </QueryState>
      )}
    </>
  )
}

function Parts({
  endpoints,
  nowMs,
  mayManage,
}: {
  endpoints: EndpointHealth[]
  nowMs: number
  mayManage: boolean
}) {
  const { data: means } = trpc.webhooks.means.useQuery()
  const isNew = endpoints.length === 0
  return (
    <>
      {isNew && mayManage ? (
        <FirstSteps canTryHere={means?.allowLoopback === true} />
      ) : (
        <EndpointCards endpoints={endpoints} nowMs={nowMs} />
      )}
      <div id="endpoints">
        <Panel
          title="Endpoints"
          about={`${means?.allowHttp === true ? 'HTTP or HTTPS' : 'HTTPS'} URLs of ${mayManage ? 'your' : 'the partner’s'} system. When you save one, we check its DNS, certificate and responses.`}
        >
          <Endpoints endpoints={endpoints} />
        </Panel>
      </div>
      {!isNew && <TestEvents endpoints={endpoints} />}
      <Panel
        title="Signing secret"
        about="Signs every event so that your system can verify it came from us. Anyone who has it can forge events: keep it out of code and e-mail."
      >
        <Secret mayManage={mayManage} />
      </Panel>
      <TeamChannels />
      {mayManage && (
        <div id="verify">
          <Snippets />
        </div>
      )}
    </>
  )
}

function TestEvents({ endpoints }: { endpoints: EndpointHealth[] }) {
  return (
    <Panel
      title="Test events"
      about="Sends an event for a made-up deal, marked “test”: true. Test events are not retried."
    >
      <div className="flex flex-col gap-4">
        {kinds
          .filter((kind) => endpoints.some((endpoint) => endpoint.kind === kind))
          .map((kind) => (
            <SendTest key={kind} kind={kind} />
          ))}
      </div>
    </Panel>
  )
}

const link = 'font-medium text-accent underline underline-offset-2'

/** Shows the first steps to a partner without an endpoint. */
function FirstSteps({ canTryHere }: { canTryHere: boolean }) {
  const steps = [
    {
      title: 'Set a URL',
      text: (
        <>
          A URL of your system that accepts <code className="font-mono text-[0.9em]">POST</code> requests.{' '}
          <a href="#endpoints" className={link}>
            Enter it below
          </a>
          ; we check it right away and tell you what to fix.
        </>
      ),
    },
    { title: 'Send a test event', text: 'See how your system responds to it.' },
    {
      title: 'Verify the signature',
      text: (
        <>
          Make sure that events come from us.{' '}
          <a href="#verify" className={link}>
            Copy the code for your language
          </a>
          , or read{' '}
          <Link href="/docs/webhooks" className={link}>
            how webhooks work
          </Link>
          .
        </>
      ),
    },
  ]
  return (
    <section aria-label="First steps" className="mb-6 rounded-xl border border-line bg-surface p-5 sm:p-6">
      <p className="mb-4 max-w-2xl text-pretty">
        No endpoints yet. Receive new deals and deal updates in three steps.
      </p>
      <ol className="grid gap-5 md:grid-cols-3">
        {steps.map(({ title, text }, index) => (
          <li key={title} className="flex gap-3">
            <Key>{String(index + 1)}</Key>
            <div>
              <h2 className="font-semibold">{title}</h2>
              <p className="mt-1 text-pretty text-ink-soft">{text}</p>
            </div>
          </li>
        ))}
      </ol>
      {canTryHere && (
        <p className="mt-5 max-w-2xl rounded-lg bg-sunken px-4 py-3 text-pretty">
          To try it on this server, run <code className="font-mono text-[0.9em]">npm run inbox</code>: it
          starts a receiver that verifies and prints events. Set{' '}
          <code className="font-mono text-[0.9em] wrap-anywhere">http://localhost:9000/events</code> as the
          URL.
        </p>
      )}
    </section>
  )
}

/** Sends a test event to an endpoint and shows the response. */
function SendTest({ kind }: { kind: EndpointKind }) {
  const { webhooks } = trpc.useUtils()
  const test = trpc.webhooks.test.useMutation({
    trpc: { context: { isAlone: true } },
    // Tells the health of the endpoint too.
    onSettled: () => webhooks.status.invalidate(),
  })
  const { event } = endpointLabels[kind]
  return (
    <div className="border-b border-line pb-4 last:border-0 last:pb-0">
      <Button busy={test.isPending} onClick={() => test.mutate({ kind })}>
        Send test {event}
      </Button>
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

const choices = languages.map(({ name }) => ({ value: name, label: name }))

/** Shows a program that verifies the partner's last event, in the selected language. */
function Snippets() {
  const [name, choose] = useState(languages[0]!.name)
  const { data: sample } = trpc.deliveries.sample.useQuery(undefined, { staleTime: Infinity })
  const { file, run, program } = languages.find((each) => each.name === name)!
  return (
    <Panel
      title="Verify a signature"
      about="A complete program with your last event filled in. Run it to check your secret, then copy the function into your receiver."
    >
      <SelectField
        label="Language"
        choices={choices}
        value={name}
        onChange={({ target }) => choose(target.value)}
        className="mb-4 max-w-48"
      />
      {sample === undefined ? (
        <Loading what="your last event" />
      ) : (
        <>
          <CodeBlock label={file} text={program(sample)} />
          <p className="mt-3 mb-1.5 text-ink-soft">
            Save it as <span className="font-mono text-[0.8125rem]">{file}</span>, then run it with the
            signing secret from above:
          </p>
          <CodeBlock label="Command" text={`export WEBHOOK_SECRET=whsec_…\n${run}`} />
        </>
      )}
    </Panel>
  )
}
