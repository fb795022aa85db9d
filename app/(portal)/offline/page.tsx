import type { Metadata } from 'next'
import { Prefetched } from '#app/providers.tsx'
import { prefetch } from '#app/trpc-server.ts'
import { OfflinePage } from './offline-page.tsx'

export const metadata: Metadata = { title: 'You are offline' }

/** What `public/sw.js` shows in place of a page that it has not kept. */
export default async function Page() {
  const state = await prefetch('/offline', ({ accounts }) => accounts.me.fetch())
  return (
    <Prefetched state={state}>
      <OfflinePage />
    </Prefetched>
  )
}
