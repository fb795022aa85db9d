'use client'

import { usePathname, useSearchParams } from 'next/navigation'
import { type ReactNode, createContext, useContext, useEffect } from 'react'
import { partnerOfQuery } from '#server/accounts/partner.ts'
import { withOtherPartner, withPartner } from './partner-href.ts'

const Partner = createContext<string | null>(null)

/**
 * Provides the slug of the page's partner (null for none) to the components inside. A document never changes
 * its partner: links keep it, and switching loads a new document, so that data or input of one partner is
 * never shown for another. `requestedPartner` is the slug in the URL (`partnerOfQuery`).
 */
export function PartnerOfPage({
  requestedPartner,
  partner,
  children,
}: {
  requestedPartner: string | null
  partner: string | null
  children: ReactNode
}) {
  // If the URL names another partner, reload the page. The portal's own links never cause this.
  const isOfAnother = partnerOfQuery(new URLSearchParams(useSearchParams())) !== requestedPartner
  useEffect(() => {
    if (isOfAnother) window.location.reload()
  }, [isOfAnother])
  return <Partner value={partner}>{isOfAnother ? null : children}</Partner>
}

/** HTML ID of the button with which an operator selects a partner. */
export const partnerButton = 'partner'

/** Returns a function from a partner's slug (or null for all) to the URL of the same page. */
export function usePartnerSwitch(): (slug: string | null) => string {
  const [path, query] = [usePathname(), useSearchParams().toString()]
  return (slug) => `${withOtherPartner(path, query, slug)}#${partnerButton}`
}

export const usePartner = () => useContext(Partner)

/** Returns a function that adds the page's partner to a URL of the portal. */
export function usePartnerHref(): (href: string) => string {
  const partner = usePartner()
  return (href) => withPartner(href, partner)
}
