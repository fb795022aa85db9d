import type { Metadata } from 'next'
import { prefetched } from '#app/prefetched.tsx'
import { isAdmin } from '#server/accounts/role.ts'
import { seesAllPartners } from '../../frame/viewer.ts'
import { WebhooksPage } from './webhooks-page.tsx'

export const metadata: Metadata = { title: 'Webhooks' }

export default function Page() {
  return prefetched(
    '/webhooks',
    async ({ accounts, deliveries, webhooks }) => {
      const me = await accounts.me.fetch()
      // Every endpoint belongs to a partner, so an operator must first select one.
      if (seesAllPartners(me)) return
      await Promise.all([
        webhooks.status.fetch(),
        webhooks.means.fetch(),
        webhooks.secrets.fetch(),
        isAdmin(me.role) && deliveries.sample.fetch(),
      ])
    },
    <WebhooksPage />,
  )
}
