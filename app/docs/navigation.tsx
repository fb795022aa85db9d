'use client'

import { ArrowLeft, ArrowRight } from 'lucide-react'
import { usePathname } from 'next/navigation'
import { useEffect, useRef } from 'react'
import { button } from '#app/ui/button-styles.ts'
import { Link } from '#app/ui/link.tsx'
import { Logo } from '#app/ui/logo.tsx'
import { type Guide, neighbours, operatorGuides, reference, sectionOf, sections, start } from './guides.ts'

/** Lists the pages of the current section, and links to the other sections. */
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

/** Shows the navigation in narrow windows, collapsed under the current page's name. */
export function NarrowNavigation() {
  const current = usePathname()
  const details = useRef<HTMLDetailsElement>(null)
  const lastPath = useRef(current)
  useEffect(() => {
    // The user may have opened the navigation before this script ran, so do not close it on mount.
    if (lastPath.current === current) return
    lastPath.current = current
    // After a page is chosen, close the navigation and move the focus to the element that opens it.
    if (details.current!.contains(document.activeElement)) details.current!.querySelector('summary')!.focus()
    details.current!.open = false
  }, [current])
  return (
    <details ref={details} className="border-b border-line bg-surface lg:hidden">
      <summary className="h-12 px-4 font-medium sm:px-6">
        {sectionOf(current).entries.find(({ href }) => href === current)?.title ?? 'Guides'}
      </summary>
      <div className="px-1 pb-3 sm:px-3">
        <Navigation />
      </div>
    </details>
  )
}

/** Shows links to the previous and next page. */
export function Neighbours() {
  const { previous, next } = neighbours(usePathname())
  return (
    <nav
      aria-label="Previous and next page"
      className="mt-12 flex flex-wrap justify-between gap-3 border-t border-line pt-6"
    >
      {previous !== undefined && <Neighbour entry={previous} relation="Previous" />}
      {next !== undefined && <Neighbour entry={next} relation="Next" />}
    </nav>
  )
}

function Neighbour({ entry: { href, title }, relation }: { entry: Guide; relation: 'Previous' | 'Next' }) {
  const isNext = relation === 'Next'
  return (
    <Link
      href={href}
      rel={isNext ? 'next' : 'prev'}
      className={`rounded-xl border border-line bg-surface px-4 py-3 hover:bg-sunken ${isNext ? 'ml-auto text-right' : ''}`}
    >
      <span className={`flex items-center gap-1.5 text-xs text-ink-soft ${isNext ? 'justify-end' : ''}`}>
        {!isNext && <ArrowLeft aria-hidden="true" className="size-3.5" />}
        {relation}
        {isNext && <ArrowRight aria-hidden="true" className="size-3.5" />}
      </span>
      <span className="mt-0.5 block font-medium">{title}</span>
    </Link>
  )
}

/** Shows the header of every documentation page, which is sticky and 56 px high. */
export function DocsHeader({ isSignedIn }: { isSignedIn: boolean }) {
  const current = usePathname()
  const section = sectionOf(current)
  const tabs = [
    {
      entry: start,
      title: 'Guides',
      isCurrent: section.entries.includes(start) && current !== reference.href,
    },
    { entry: reference, title: reference.title, isCurrent: current === reference.href },
    { entry: operatorGuides[0]!, title: 'Operators', isCurrent: section.entries === operatorGuides },
  ]
  return (
    <header className="sticky top-0 z-30 h-14 border-b border-line bg-surface">
      <p className="sr-only">
        This documentation is also available as Markdown. Its index is at{' '}
        <a href="/llms.txt" tabIndex={-1}>
          /llms.txt
        </a>
        .
      </p>
      <div className="mx-auto flex h-full max-w-6xl items-center gap-3 px-4 sm:px-6">
        <Link
          href={section.entries[0]!.href}
          className="flex shrink-0 items-center gap-2.5 rounded-lg font-semibold tracking-tight"
        >
          <Logo className="size-7" />
          <span className="max-sm:sr-only">Partner Deals</span>
          <span className="font-medium text-ink-soft">{section.title}</span>
        </Link>
        <nav aria-label="Documentation" className="ml-3 flex h-full items-center gap-1 max-lg:hidden">
          {tabs.map(({ entry, title, isCurrent }) => (
            <Link
              key={entry.href}
              href={entry.href}
              aria-current={currentOf(isCurrent, current === entry.href)}
              className={tab}
            >
              {title}
            </Link>
          ))}
        </nav>
        <Link
          href={isSignedIn ? '/' : '/sign-in'}
          prefetch={false}
          className={`${button.plain} ml-auto shrink-0`}
        >
          {isSignedIn ? 'Back to the portal' : 'Sign in'}
        </Link>
      </div>
    </header>
  )
}

/** Returns the `aria-current` of a tab, or undefined instead of false, because styles would match false. */
function currentOf(isCurrent: boolean, isPage: boolean): 'page' | 'true' | undefined {
  if (!isCurrent) return undefined
  return isPage ? 'page' : 'true'
}

const tab =
  'relative flex h-9 items-center rounded-lg px-3 font-medium text-ink-soft hover:bg-sunken hover:text-ink aria-[current]:text-ink aria-[current]:after:absolute aria-[current]:after:inset-x-3 aria-[current]:after:-bottom-2.5 aria-[current]:after:h-0.5 aria-[current]:after:rounded-full aria-[current]:after:bg-accent'
