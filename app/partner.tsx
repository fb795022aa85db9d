'use client'

import { useSearchParams } from 'next/navigation'
import { type ReactNode, createContext, useContext, useEffect } from 'react'
import { partnerOfQuery } from '#server/accounts/slug.ts'
import { withPartner } from './partner-href.ts'

const Partner = createContext<string | null>(null)

/**
 * Tells the pages below it which partner they are of, by its slug; null: of none in particular. A document is of one partner as long
 * as it is open: links keep the partner, and another one is another document, so nothing read or typed for one is there for the next.
 * `asked` is what the server has read in the address (`partnerOfQuery`).
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
  // Never so by our own links. Should an address come about that names another partner, the page is opened anew.
  const isOfAnother = partnerOfQuery(new URLSearchParams(useSearchParams())) !== asked
  useEffect(() => {
    if (isOfAnother) window.location.reload()
  }, [isOfAnother])
  return <Partner value={partner}>{isOfAnother ? null : children}</Partner>
}

/** The slug of the partner that the page is of, or null. */
export const usePartner = () => useContext(Partner)

/** Returns what makes an address within the portal one of the page's partner. */
export function usePartnerHref(): (href: string) => string {
  const partner = usePartner()
  return (href) => withPartner(href, partner)
}
