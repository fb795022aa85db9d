'use client'

import { usePathname, useSearchParams } from 'next/navigation'
import { parseAsString, useQueryState } from 'nuqs'
import type { ComponentProps } from 'react'
import { Link, useRouter } from '#app/ui/link.tsx'
import { hrefFrom } from './navigation.ts'

/**
 * A link of the main navigation. The lists of deals pass on their query, including text that was just typed.
 */
export function MainLink({ href, ...link }: ComponentProps<typeof Link>) {
  const path = usePathname()
  const query = new URLSearchParams(useSearchParams())
  const [typed, setTyped] = useQueryState('q', parseAsString.withDefault(''))
  const router = useRouter()
  if (typed === '') query.delete('q')
  else query.set('q', typed)
  const target = hrefFrom(href, path, query.toString())
  return (
    <Link
      {...link}
      href={target}
      onNavigate={(event) => {
        // Typed text reaches the URL some tens of milliseconds later; that write would end a started
        // navigation.
        const inUrl = new URLSearchParams(window.location.search).get('q') ?? ''
        if (inUrl === typed) return
        event.preventDefault()
        void setTyped(typed).then(() => router.push(target))
      }}
    />
  )
}
