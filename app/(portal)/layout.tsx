import type { ReactNode } from 'react'
import { signedIn } from '#server/accounts/sign-in.ts'
import { Providers } from '../providers.tsx'
import { Header } from './header.tsx'

/** What all pages of the portal share. Who may see what is not decided here but in the procedures that the pages call. */
export default async function PortalLayout({ children }: { children: ReactNode }) {
  const session = await signedIn()
  return (
    <Providers key={session?.hash}>
      <a href="#content" className="sr-only z-30 rounded-lg bg-surface px-4 py-2 font-medium focus:not-sr-only focus:fixed focus:top-2 focus:left-2">Skip to content</a>
      {session !== null && <Header session={session} />}
      <main id="content" className="mx-auto max-w-7xl px-4 py-6 sm:px-6 sm:py-8">{children}</main>
    </Providers>
  )
}
