'use client'

import NextLink from 'next/link'
import type { ComponentProps } from 'react'
import { withPartner } from '#app/partner-href.ts'
import { usePartner, usePartnerHref } from '#app/partner.tsx'

/** A link to a page of this site, of the same partner as the page it is on. */
export function Link({
  href,
  prefetch = null,
  ...link
}: Omit<ComponentProps<typeof NextLink>, 'href'> & { href: string }) {
  const partner = usePartner()
  // Next leaves the query out of what it reads ahead, and would get that of all partners.
  return (
    <NextLink {...link} prefetch={partner === null ? prefetch : false} href={withPartner(href, partner)} />
  )
}

/** A link to a page of this site as it is seen by a partner, or with null by all of them. It opens another document: nothing of this one stays. */
export function PartnerLink({
  partner,
  href,
  ...link
}: Omit<ComponentProps<'a'>, 'href'> & { partner: string | null; href: string }) {
  return <a {...link} href={withPartner(href, partner)} />
}

/** A link to a file that this site makes, of the same partner as the page it is on. */
export function DownloadLink({
  href,
  ...link
}: Omit<ComponentProps<'a'>, 'href' | 'download'> & { href: string }) {
  return <a {...link} href={usePartnerHref()(href)} download />
}
