'use client'

import { ChevronDown } from 'lucide-react'
import { usePathname } from 'next/navigation'
import { useEffect, useRef } from 'react'
import { Link } from '#app/ui/link.tsx'
import { entries } from './guides.ts'

/** The pages for developers, one below the other. */
export function Navigation() {
  const current = usePathname()
  return (
    <nav aria-label="Guides">
      <ul className="flex flex-col gap-0.5">
        {entries.map(({ href, title }) => (
          <li key={href}>
            <Link
              href={href}
              aria-current={href === current ? 'page' : undefined}
              className="flex min-h-9 items-center rounded-lg px-3 text-ink-soft hover:bg-sunken hover:text-ink aria-[current=page]:bg-sunken aria-[current=page]:font-medium aria-[current=page]:text-ink"
            >
              {title}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** The same for a narrow window: named after where one is, opened to go elsewhere. */
export function NarrowNavigation() {
  const current = usePathname()
  const details = useRef<HTMLDetailsElement>(null)
  useEffect(() => {
    // A page that was chosen closes it, and leaves the focus where it can be opened again.
    if (details.current!.contains(document.activeElement)) details.current!.querySelector('summary')!.focus()
    details.current!.open = false
  }, [current])
  return (
    <details ref={details} className="group border-b border-line bg-surface lg:hidden">
      <summary className="flex h-12 cursor-pointer list-none items-center justify-between px-4 font-medium sm:px-6 [&::-webkit-details-marker]:hidden">
        {entries.find(({ href }) => href === current)?.title ?? 'Guides'}
        <ChevronDown aria-hidden="true" className="size-4 text-ink-soft group-open:rotate-180" />
      </summary>
      <div className="px-1 pb-3 sm:px-3">
        <Navigation />
      </div>
    </details>
  )
}
