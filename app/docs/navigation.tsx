'use client'

import { ChevronDown } from 'lucide-react'
import { usePathname } from 'next/navigation'
import { useEffect, useRef } from 'react'
import { Link } from '#app/ui/link.tsx'
import { sectionOf, sections } from './guides.ts'

/** Lists the pages of the current section, and leads to the others. */
export function Navigation() {
  const current = usePathname()
  const section = sectionOf(current)
  return (
    <nav aria-label="Guides">
      <ul className="flex flex-col gap-0.5">
        {section.entries.map(({ href, title }) => (
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
        {sections
          .filter((other) => other !== section)
          .map(({ title, entries }) => (
            <li key={title} className="mt-3 border-t border-line pt-3 lg:hidden">
              <Link
                href={entries[0]!.href}
                className="flex min-h-9 items-center rounded-lg px-3 text-ink-soft hover:bg-sunken hover:text-ink"
              >
                For {title.toLowerCase()}
              </Link>
            </li>
          ))}
      </ul>
    </nav>
  )
}

/** Shows the navigation of a narrow window, folded under the name of the current page. */
export function NarrowNavigation() {
  const current = usePathname()
  const details = useRef<HTMLDetailsElement>(null)
  const shown = useRef(current)
  useEffect(() => {
    // It may have been opened before this script ran.
    if (shown.current === current) return
    shown.current = current
    // Choosing a page closes it and keeps the focus where it can be opened again.
    if (details.current!.contains(document.activeElement)) details.current!.querySelector('summary')!.focus()
    details.current!.open = false
  }, [current])
  return (
    <details ref={details} className="group border-b border-line bg-surface lg:hidden">
      <summary className="flex h-12 cursor-pointer list-none items-center justify-between px-4 font-medium sm:px-6 [&::-webkit-details-marker]:hidden">
        {sectionOf(current).entries.find(({ href }) => href === current)?.title ?? 'Guides'}
        <ChevronDown aria-hidden="true" className="size-4 text-ink-soft group-open:rotate-180" />
      </summary>
      <div className="px-1 pb-3 sm:px-3">
        <Navigation />
      </div>
    </details>
  )
}
