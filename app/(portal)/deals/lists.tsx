'use client'

import { usePathname, useSearchParams } from 'next/navigation'
import { parseAsString, useQueryState } from 'nuqs'
import type { ComponentProps } from 'react'
import { Link } from '#app/ui/link.tsx'

/** The pages that show the same deals in different layouts. */
export const listViews = [
  { label: 'List', href: '/deals' },
  { label: 'Board', href: '/deals/board' },
  { label: 'Map', href: '/deals/map' },
]

export const lists: readonly string[] = listViews.map(({ href }) => href)

const openDeals = 'is=open'

/** Returns the URL of an entry. Links between lists keep the query, others show open deals. */
export function hrefFrom(href: string, path: string, search: string): string {
  if (!lists.includes(href)) return href
  if (!lists.includes(path) || href === path) return `${href}?${openDeals}`
  // Start without a preview.
  const query = search.replace(/(?:^|&)peek=[^&]*/, '').replace(/^&/, '')
  return query === '' ? href : `${href}?${query}`
}

/** Links an entry of the navigation, with the query of a list including text that was just typed. */
export function MainLink({ href, ...link }: ComponentProps<typeof Link>) {
  const path = usePathname()
  const query = new URLSearchParams(useSearchParams())
  const [typed] = useQueryState('q', parseAsString.withDefault(''))
  if (typed === '') query.delete('q')
  else query.set('q', typed)
  return <Link {...link} href={hrefFrom(href, path, query.toString())} />
}
