'use client'

import { Webhook } from 'lucide-react'
import { trpc } from '#app/trpc.ts'
import { Notice } from '#app/ui/notice.tsx'
import { PageHead } from '#app/ui/page-head.tsx'
import { Panel } from '#app/ui/panel.tsx'
import { QueryState } from '#app/ui/query-state.tsx'
import { isAdmin } from '#server/accounts/role.ts'
import type { EndpointHealth } from '#server/webhooks/store.ts'
import { seesAllPartners } from '../../frame/viewer.ts'
import { EndpointCards } from './endpoint-cards.tsx'
import { Endpoints } from './endpoints.tsx'
import { FirstSteps } from './first-steps.tsx'
import { kinds } from './labels.ts'
import { Secret } from './secret.tsx'
import { SendTest } from './send-test.tsx'
import { Snippets } from './snippets/snippets.tsx'

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
