import type { Metadata } from 'next'
import { headers } from 'next/headers'
import type { ReactNode } from 'react'
import { signedIn } from '#server/accounts/sign-in/sign-in.ts'
import { partnerOfPage } from '#server/http/page-partner.ts'
import { readTheme } from '../document.tsx'
import { PartnerOfPage } from '../partner.tsx'
import { Toasts } from '../ui/toast.tsx'
import { DocsHeader, NarrowNavigation } from './navigation.tsx'

export const metadata: Metadata = {
  title: { default: 'Developers', template: '%s · Documentation · Partner Deals' },
  description: 'How to integrate with Partner Deals, and how to operate it.',
}

/**
 * Shows the common parts of all documentation pages. They are public; a session only adds a link back to the
 * portal.
 */
export default async function DocsLayout({ children }: { children: ReactNode }) {
  const [session, theme, asked] = await Promise.all([signedIn(), readTheme(), headers().then(partnerOfPage)])
  return (
    // The pages are the same for every partner; a partner in the query is for the link back.
    <PartnerOfPage asked={asked} partner={asked}>
      <a
        href="#content"
        className="sr-only z-40 rounded-lg bg-surface px-4 py-2 font-medium focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        Skip to content
      </a>
      <DocsHeader isSignedIn={session !== null} />
      <NarrowNavigation />
      {children}
      <Toasts theme={theme} position="bottom-right" toastOptions={{ className: 'font-sans!' }} />
    </PartnerOfPage>
  )
}
