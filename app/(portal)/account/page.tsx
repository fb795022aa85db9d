import type { Metadata } from 'next'
import { readTheme } from '#app/document.tsx'
import { prefetched } from '#app/prefetched.tsx'
import { AccountPage } from './account-page.tsx'

export const metadata: Metadata = { title: 'Account' }

export default async function Page() {
  const theme = await readTheme()
  return prefetched(
    '/account',
    ({ accounts, insight, notifications, push }) =>
      Promise.all([
        accounts.me.fetch(),
        accounts.sessions.fetch(),
        accounts.timeZones.fetch(),
        notifications.settings.fetch(),
        notifications.people.fetch(),
        insight.digest.fetch(),
        push.list.fetch(),
      ]),
    <AccountPage theme={theme} />,
  )
}
