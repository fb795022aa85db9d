import type { Metadata } from 'next'
import { prefetched } from '#app/prefetched.tsx'
import { OfflinePage } from './offline-page.tsx'

export const metadata: Metadata = { title: "You're offline" }

/** The page that `public/sw.js` shows when the requested page is not cached. */
export default function Page() {
  return prefetched('/offline', ({ accounts }) => accounts.me.fetch(), <OfflinePage />)
}
