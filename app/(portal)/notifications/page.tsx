import type { Metadata } from 'next'
import { prefetched } from '#app/prefetched.tsx'
import { NotificationsPage } from './notifications-page.tsx'

export const metadata: Metadata = { title: 'Notifications' }

export default function Page() {
  return prefetched(
    '/notifications',
    ({ notifications }) =>
      Promise.all([notifications.list.fetchInfinite({}), notifications.settings.fetch()]),
    <NotificationsPage />,
  )
}
