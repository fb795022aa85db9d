'use client'

import { usePathname } from 'next/navigation'
import { button } from '#app/ui/button.ts'
import { Link } from '#app/ui/link.tsx'
import { Logo } from '#app/ui/logo.tsx'
import { operatorGuides, reference, sectionOf, start } from './guides.ts'

/** Shows the head of every page of the documentation. It stays at the top, 56 px high. */
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

/** Returns what marks a tab as current; a style of `aria-current` also applies to one that is false. */
function currentOf(isCurrent: boolean, isPage: boolean): 'page' | 'true' | undefined {
  if (!isCurrent) return undefined
  return isPage ? 'page' : 'true'
}

const tab =
  'relative flex h-9 items-center rounded-lg px-3 font-medium text-ink-soft hover:bg-sunken hover:text-ink aria-[current]:text-ink aria-[current]:after:absolute aria-[current]:after:inset-x-3 aria-[current]:after:-bottom-2.5 aria-[current]:after:h-0.5 aria-[current]:after:rounded-full aria-[current]:after:bg-accent'
