'use client'

import NextLink from 'next/link'
import { useRouter as useNextRouter } from 'next/navigation'
import { type ComponentProps, useEffect, useMemo, useState, useTransition } from 'react'
import { withPartner } from './partner-href.ts'
import { usePartner, usePartnerHref } from './partner.tsx'

/**
 * A link that keeps the page's partner. Pages are prefetched on hover or focus: prefetching every visible
 * link would cause about ten requests per page.
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
  const router = useNextRouter()
  const target = withPartner(href, partner)
  const [isReached, setIsReached] = useState(false)
  return (
    <NextLink
      {...link}
      // Next drops the query when prefetching, which would load the data of all partners.
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

/** Links a page of another partner (null for all) as a new document, so that no data remains. */
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

/** Returns Next's router, but keeps the page's partner. */
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

let begin = (navigate: () => void) => navigate()
let writing: Promise<unknown> | null = null

/** Makes navigations wait until `write` has changed the URL, which would cancel them. */
export function navigateAfter(write: Promise<unknown>) {
  writing = write
  const end = () => {
    if (writing === write) writing = null
  }
  void write.then(end, end)
}

/** Runs `navigate`, and shows a progress bar until the new page is displayed. */
const beginNavigation = (navigate: () => void) => {
  if (writing === null) begin(navigate)
  else void writing.finally(() => begin(navigate))
}

/** Shows a progress bar at the top of the window while another page loads, unless it loads immediately. */
export function NavigationBar() {
  const [isPending, startTransition] = useTransition()
  useEffect(() => {
    begin = startTransition
    return () => {
      begin = (navigate) => navigate()
    }
  }, [startTransition])
  if (!isPending) return null
  return (
    <div
      role="progressbar"
      aria-label="Loading page"
      className="pointer-events-none fixed inset-x-0 top-0 z-50 h-0.5 origin-left animate-advance bg-accent print:hidden"
    />
  )
}
