'use client'

import NextLink from 'next/link'
import type { ComponentProps } from 'react'
import { usePartnerHref } from '#app/partner.tsx'
import { withPartner } from '#app/partner-href.ts'

/** A link to a page of this site, of the same partner as the page it is on. */
export function Link({ href, ...link }: Omit<ComponentProps<typeof NextLink>, 'href'> & { href: string }) {
  return <NextLink {...link} href={usePartnerHref()(href)} />
}

/** A link to a page of this site as it is seen by a partner, or with null by all of them. It opens another document: nothing of this one stays. */
export function PartnerLink({ partner, href, ...link }: Omit<ComponentProps<'a'>, 'href'> & { partner: string | null; href: string }) {
  return <a {...link} href={withPartner(href, partner)} />
}

/** A link to a file that this site makes, of the same partner as the page it is on. */
export function DownloadLink({ href, ...link }: Omit<ComponentProps<'a'>, 'href' | 'download'> & { href: string }) {
  return <a {...link} href={usePartnerHref()(href)} download />
}
