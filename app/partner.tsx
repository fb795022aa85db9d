'use client'

import { useSearchParams } from 'next/navigation'
import { type ReactNode, createContext, useContext, useEffect } from 'react'
import { partnerOfQuery } from '#server/accounts/slug.ts'
import { withPartner } from './partner-href.ts'

const Partner = createContext<string | null>(null)

/**
 * Provides the slug of the page's partner to the pages below; null for none. A document keeps its partner:
 * links preserve it, and switching loads a new document, so no data or input of one partner is shown for
 * another. `asked` is the slug from the URL (`partnerOfQuery`).
 */
export function PartnerOfPage({
  asked,
  partner,
  children,
}: {
  asked: string | null
  partner: string | null
  children: ReactNode
}) {
  // Our own links never do this. A URL that names another partner reloads the page.
  const isOfAnother = partnerOfQuery(new URLSearchParams(useSearchParams())) !== asked
  useEffect(() => {
    if (isOfAnother) window.location.reload()
  }, [isOfAnother])
  return <Partner value={partner}>{isOfAnother ? null : children}</Partner>
}

/** Returns the slug of the page's partner, or null. */
export const usePartner = () => useContext(Partner)

/** Returns a function that adds the page's partner to a URL of the portal. */
export function usePartnerHref(): (href: string) => string {
  const partner = usePartner()
  return (href) => withPartner(href, partner)
}
