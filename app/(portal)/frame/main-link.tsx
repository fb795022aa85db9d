'use client'

import { usePathname, useSearchParams } from 'next/navigation'
import { parseAsString, useQueryState } from 'nuqs'
import type { ComponentProps } from 'react'
import { Link } from '#app/ui/link.tsx'
import { hrefFrom } from './navigation.ts'

/**
 * Shows a link of the main navigation. Links between lists of deals keep the query, including text that was
 * just typed.
 */
export function MainLink({ href, ...link }: ComponentProps<typeof Link>) {
  const path = usePathname()
  const query = new URLSearchParams(useSearchParams())
  const [typed] = useQueryState('q', parseAsString.withDefault(''))
  if (typed === '') query.delete('q')
  else query.set('q', typed)
  return <Link {...link} href={hrefFrom(href, path, query.toString())} />
}
