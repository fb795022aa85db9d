import type { Metadata } from 'next'
import { readTheme } from '#app/document.tsx'
import { Prefetched } from '#app/providers.tsx'
import { prefetch } from '#app/trpc-server.ts'
import { AccountPage } from './account-page.tsx'

export const metadata: Metadata = { title: 'Account' }

export default async function Page() {
  const [state, theme] = await Promise.all([
    prefetch('/account', ({ accounts, insight, notifications, push }) =>
      Promise.all([
        accounts.me.fetch(),
        accounts.sessions.fetch(),
        accounts.timeZones.fetch(),
        notifications.settings.fetch(),
        notifications.people.fetch(),
        insight.digest.fetch(),
        push.list.fetch(),
      ]),
    ),
    readTheme(),
  ])
  return (
    <Prefetched state={state}>
      <AccountPage theme={theme} />
    </Prefetched>
  )
}
