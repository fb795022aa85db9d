import type { Metadata } from 'next'
import { headers } from 'next/headers'
import type { ReactNode } from 'react'
import { PartnerOfPage } from '#app/ui/partner.tsx'
import { Toasts } from '#app/ui/toast.tsx'
import { signedIn } from '#server/accounts/sign-in/sign-in.ts'
import { partnerOfPage } from '#server/http/page-partner.ts'
import { SkipLink, readTheme } from '../document.tsx'
import { DocsHeader, NarrowNavigation } from './navigation.tsx'

export const metadata: Metadata = {
  title: { default: 'Developers', template: '%s · Documentation · Partner Deals' },
  description: 'How to integrate with Partner Deals, and how to operate it.',
}

/**
 * Shows the layout of all documentation pages. The pages are public; signed-in users see a link back to the
 * portal.
 */
export default async function DocsLayout({ children }: { children: ReactNode }) {
  const [session, theme, requestedPartner] = await Promise.all([
    signedIn(),
    readTheme(),
    headers().then(partnerOfPage),
  ])
  return (
    // Documentation is the same for every partner. The partner in the URL is kept for the link back to the
    // portal.
    <PartnerOfPage requestedPartner={requestedPartner} partner={requestedPartner}>
      <SkipLink />
      <DocsHeader isSignedIn={session !== null} />
      <NarrowNavigation />
      {children}
      <Toasts theme={theme} position="bottom-right" toastOptions={{ className: 'font-sans!' }} />
    </PartnerOfPage>
  )
}
