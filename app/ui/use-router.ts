'use client'

import { useRouter as useNextRouter } from 'next/navigation'
import { useMemo } from 'react'
import { withPartner } from '#app/partner-href.ts'
import { usePartner } from '#app/partner.tsx'
import { beginNavigation } from './navigation-bar.tsx'

/** Returns Next's router, keeping the page's partner. */
export function useRouter() {
  const { push, replace, back, refresh } = useNextRouter()
  const partner = usePartner()
  return useMemo(
    () => ({
      push: (href: string) => beginNavigation(() => push(withPartner(href, partner))),
      replace: (href: string) => beginNavigation(() => replace(withPartner(href, partner))),
      back,
      refresh,
    }),
    [push, replace, back, refresh, partner],
  )
}
