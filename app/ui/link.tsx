'use client'

import NextLink from 'next/link'
import { useRouter } from 'next/navigation'
import { type ComponentProps, useState } from 'react'
import { withPartner } from '#app/partner-href.ts'
import { usePartner, usePartnerHref } from '#app/partner.tsx'
import { beginNavigation } from './navigation-bar.tsx'

/**
 * A link that keeps the page's partner. Its page is prefetched on hover or focus: prefetching all visible
 * links would send ten requests for each page opened.
 */
export function Link({
  href,
  prefetch = null,
  onPointerEnter,
  onFocus,
  onNavigate,
  replace = false,
  ...link
}: Omit<ComponentProps<typeof NextLink>, 'href' | 'scroll'> & { href: string }) {
  const partner = usePartner()
  const router = useRouter()
  const target = withPartner(href, partner)
  const [isReached, setIsReached] = useState(false)
  return (
    <NextLink
      {...link}
      // Next prefetches without the query, and would load the data of all partners.
      prefetch={isReached && partner === null ? prefetch : false}
      href={target}
      onNavigate={(event) => {
        let isTaken = false
        onNavigate?.({ preventDefault: () => (isTaken = true) })
        event.preventDefault()
        if (!isTaken) beginNavigation(() => (replace ? router.replace(target) : router.push(target)))
      }}
      onPointerEnter={(event) => {
        setIsReached(true)
        onPointerEnter?.(event)
      }}
      onFocus={(event) => {
        setIsReached(true)
        onFocus?.(event)
      }}
    />
  )
}

/** A link to a page of this site for another partner, or with null for all partners. Loads a new document, so that no data remains. */
export function PartnerLink({
  partner,
  href,
  ...link
}: Omit<ComponentProps<'a'>, 'href'> & { partner: string | null; href: string }) {
  return <a {...link} href={withPartner(href, partner)} />
}

/** A link that downloads a file for the page's partner. */
export function DownloadLink({
  href,
  ...link
}: Omit<ComponentProps<'a'>, 'href' | 'download'> & { href: string }) {
  return <a {...link} href={usePartnerHref()(href)} download />
}
