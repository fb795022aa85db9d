import type { Metadata } from 'next'
import { headers } from 'next/headers'
import type { ReactNode } from 'react'
import { signedIn } from '#server/accounts/sign-in/sign-in.ts'
import { partnerOfPage } from '#server/http/page-partner.ts'
import { readTheme } from '../document.tsx'
import { PartnerOfPage } from '../partner.tsx'
import { Toasts } from '../ui/toast.tsx'
import { Header } from './header.tsx'
import { NarrowNavigation } from './navigation.tsx'

export const metadata: Metadata = {
  title: { default: 'Developers', template: '%s · Developers · Partner Deals' },
  description: 'How systems read the deals.',
}

/** What all pages for developers share. They are for everybody; who is signed in is only shown the way back. */
export default async function DocsLayout({ children }: { children: ReactNode }) {
  const [session, theme, asked] = await Promise.all([signedIn(), readTheme(), headers().then(partnerOfPage)])
  return (
    // They are the same for all; a partner in the address is there for the way back.
    <PartnerOfPage asked={asked} partner={asked}>
      <a
        href="#content"
        className="sr-only z-40 rounded-lg bg-surface px-4 py-2 font-medium focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        Skip to content
      </a>
      <Header isSignedIn={session !== null} />
      <NarrowNavigation />
      {children}
      <Toasts theme={theme} position="bottom-right" toastOptions={{ className: 'font-sans!' }} />
    </PartnerOfPage>
  )
}
