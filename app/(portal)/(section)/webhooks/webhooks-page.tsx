'use client'

import { CloudOff, Webhook } from 'lucide-react'
import { useRef } from 'react'
import { failureMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { button } from '#app/ui/button.ts'
import { Notice } from '#app/ui/notice.tsx'
import { PageHead } from '#app/ui/page-head.tsx'
import { Panel } from '#app/ui/panel.tsx'
import type { EndpointHealth } from '#server/webhooks/store.ts'
import { EndpointCard } from './endpoint-card.tsx'
import { Endpoints } from './endpoints.tsx'
import { FirstSteps } from './first-steps.tsx'
import { kinds } from './labels.ts'
import { Secret } from './secret.tsx'
import { SendTest } from './send-test.tsx'
import { Snippets } from './snippets/snippets.tsx'
import { SwitchOn } from './switch-on.tsx'

const refreshMs = 15_000

/** Shows a partner's endpoints, their status and their signing secret. Operators see it read-only. */
export function WebhooksPage() {
  const { data: me } = trpc.accounts.me.useQuery()
  const isUnchosen = me?.role === 'operator' && me.chosenPartner === null
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
      ) : me !== undefined && status.data !== undefined ? (
        <Whole endpoints={status.data} nowMs={status.dataUpdatedAt} isAdmin={me.role === 'admin'} />
      ) : status.error === null ? (
        <p role="status" className="text-ink-soft">
          Loading endpoints…
        </p>
      ) : (
        <Notice
          icon={CloudOff}
          title="Could not load endpoints"
          action={
            <button type="button" onClick={() => status.refetch()} className={button.primary}>
              Try again
            </button>
          }
        >
          {failureMessage(status.error)}
        </Notice>
      )}
    </>
  )
}

function Whole({
  endpoints,
  nowMs,
  isAdmin,
}: {
  endpoints: EndpointHealth[]
  nowMs: number
  isAdmin: boolean
}) {
  const { data: means } = trpc.webhooks.means.useQuery()
  const cards = useRef<HTMLDivElement>(null)
  const isNew = endpoints.length === 0
  return (
    <>
      {isNew && isAdmin ? (
        <FirstSteps canTryHere={means?.allowLoopback === true} />
      ) : (
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
                {isAdmin && isOff && <SwitchOn kind={kind} onDone={() => cards.current?.focus()} />}
              </EndpointCard>
            )
          })}
        </div>
      )}
      {isAdmin && (
        <div id="endpoints">
          <Panel
            title="Endpoints"
            about={`${means?.allowHttp === true ? 'HTTP or HTTPS' : 'HTTPS'} URLs of your system. When you save one, we check its DNS, certificate and responses.`}
          >
            <Endpoints endpoints={endpoints} />
          </Panel>
        </div>
      )}
      {isAdmin && !isNew && (
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
      )}
      <Panel
        title="Signing secret"
        about="Signs every event so that your system can verify it came from us. Anyone who has it can forge events: keep it out of code and e-mail."
      >
        <Secret isAdmin={isAdmin} />
      </Panel>
      {isAdmin && (
        <div id="verify">
          <Snippets />
        </div>
      )}
    </>
  )
}
