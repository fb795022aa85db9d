import type { Metadata } from 'next'
import { Prefetched } from '#app/providers.tsx'
import { prefetch } from '#app/trpc-server.ts'
import { NotificationsPage } from './notifications-page.tsx'

export const metadata: Metadata = { title: 'Notifications' }

export default async function Page() {
  const state = await prefetch('/notifications', ({ notifications }) =>
    Promise.all([notifications.list.fetchInfinite({}), notifications.settings.fetch()]),
  )
  return (
    <Prefetched state={state}>
      <NotificationsPage />
    </Prefetched>
  )
}
