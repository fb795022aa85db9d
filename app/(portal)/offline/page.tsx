import type { Metadata } from 'next'
import { Prefetched } from '#app/providers.tsx'
import { prefetch } from '#app/trpc-server.ts'
import { OfflinePage } from './offline-page.tsx'

export const metadata: Metadata = { title: "You're offline" }

/** The page that `public/sw.js` shows when the requested one is not cached. */
export default async function Page() {
  const state = await prefetch('/offline', ({ accounts }) => accounts.me.fetch())
  return (
    <Prefetched state={state}>
      <OfflinePage />
    </Prefetched>
  )
}
