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
import { Addresses } from './addresses.tsx'
import { ConditionCard } from './condition-card.tsx'
import { FirstSteps } from './first-steps.tsx'
import { kinds } from './labels.ts'
import { Secret } from './secret.tsx'
import { SendTest } from './send-test.tsx'
import { Snippets } from './snippets/snippets.tsx'
import { SwitchOn } from './switch-on.tsx'

const refreshMs = 15_000

/** Where a partner's events go, how that does, and what signs them; an operator sees it and changes nothing. */
export function WebhooksPage() {
  const { data: me } = trpc.accounts.me.useQuery()
  const isUnchosen = me?.role === 'operator' && me.chosenPartner === null
  const status = trpc.webhooks.status.useQuery(undefined, {
    enabled: me !== undefined && !isUnchosen,
    refetchInterval: refreshMs,
  })
  return (
    <>
      <PageHead
        title="Webhooks"
        about="Where events are sent: each new deal, and each change of one, within seconds."
      />
      {isUnchosen ? (
        <Notice icon={Webhook} title="Choose a partner first">
          Addresses are one partner’s own. Choose whose you want to see at the head of the page.
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
          aria-label="How the addresses do"
          className="mb-6 grid gap-4 rounded-xl outline-offset-4 md:grid-cols-2"
        >
          {kinds.map((kind) => {
            const endpoint = endpoints.find((each) => each.kind === kind)
            const isOff =
              endpoint !== undefined &&
              endpoint.switchedOffBecause !== null &&
              endpoint.switchedOffBecause !== 'suspended'
            return (
              <ConditionCard key={kind} kind={kind} endpoint={endpoint} nowMs={nowMs}>
                {isAdmin && isOff && <SwitchOn kind={kind} onDone={() => cards.current?.focus()} />}
              </ConditionCard>
            )
          })}
        </div>
      )}
      {isAdmin && (
        <div id="addresses">
          <Panel
            title="Addresses"
            about={`${means?.allowHttp === true ? 'An http or https address' : 'An https address'} of your system. What you set is checked at once: its name, its certificate, and how it answers.`}
          >
            <Addresses endpoints={endpoints} />
          </Panel>
        </div>
      )}
      {isAdmin && !isNew && (
        <Panel
          title="Tests"
          about="An event of a deal that does not exist, marked with “test”: true. It is sent at once and only once."
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
        about="It signs each event, so that your system can tell that it comes from us. Whoever has it can sign, too: keep it out of code and mail."
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
