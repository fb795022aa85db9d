import type { Metadata } from 'next'
import { Prefetched } from '#app/providers.tsx'
import { prefetch } from '#app/trpc-server.ts'
import { isAdmin } from '#server/accounts/role.ts'
import { seesAllPartners } from '../../frame/viewer.ts'
import { WebhooksPage } from './webhooks-page.tsx'

export const metadata: Metadata = { title: 'Webhooks' }

export default async function Page() {
  const state = await prefetch('/webhooks', async ({ accounts, deliveries, webhooks }) => {
    const me = await accounts.me.fetch()
    // Endpoints belong to a partner: an operator has to select one.
    if (seesAllPartners(me)) return
    await Promise.all([
      webhooks.status.fetch(),
      webhooks.means.fetch(),
      webhooks.secrets.fetch(),
      isAdmin(me.role) && deliveries.sample.fetch(),
    ])
  })
  return (
    <Prefetched state={state}>
      <WebhooksPage />
    </Prefetched>
  )
}
