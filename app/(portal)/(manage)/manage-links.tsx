'use client'

import { usePathname } from 'next/navigation'
import { useEffect, useRef } from 'react'
import { trpc } from '#app/trpc.ts'
import { Link } from '#app/ui/link.tsx'
import { minuteMs } from '#server/values/units.ts'
import * as navigationIcons from '../frame/navigation-icons.ts'
import { type Visitor, currentEntry, sectionEntriesFor, sectionName } from '../frame/navigation.ts'

/** Shows the links of a section: beside the page, or above the page in narrow windows. */
export function ManageLinks({ visitor }: { visitor: Visitor }) {
  const entries = sectionEntriesFor(visitor)
  const current = currentEntry(entries, usePathname())
  const currentLink = useRef<HTMLAnchorElement>(null)
  // In narrow windows, the current link may be scrolled out of view.
  useEffect(() => {
    const link = currentLink.current
    link?.closest('nav')?.scrollTo({ left: link.offsetLeft - 96 })
  }, [current])
  return (
    <nav
      aria-label={sectionName(visitor)}
      className="print:hidden max-lg:-mx-4 max-lg:overflow-x-auto max-lg:border-b max-lg:border-line max-lg:px-4 max-lg:pb-3 lg:sticky lg:top-20 lg:self-start"
    >
      <ul className="flex gap-1 lg:flex-col">
        {entries.map((entry) => {
          const Icon = navigationIcons[entry.icon]
          return (
            <li key={entry.href}>
              <Link
                href={entry.href}
                ref={entry === current ? currentLink : null}
                aria-current={entry === current ? 'page' : undefined}
                className="touch flex h-9 items-center gap-2.5 rounded-lg px-3 whitespace-nowrap text-ink-soft hover:bg-sunken hover:text-ink aria-[current=page]:bg-sunken aria-[current=page]:font-medium aria-[current=page]:text-ink"
              >
                <Icon aria-hidden="true" className="size-4 shrink-0" />
                {entry.label}
                {entry.href === '/questions' && <OpenQuestions />}
              </Link>
            </li>
          )
        })}
      </ul>
    </nav>
  )
}

/** Shows the number of open questions. */
function OpenQuestions() {
  const { data: count } = trpc.messages.openCount.useQuery(undefined, { refetchInterval: minuteMs })
  if (!count) return null
  return (
    <span className="ml-auto rounded-full bg-wait-soft px-2 text-xs font-medium text-wait tabular-nums">
      {count}
      <span className="sr-only"> open</span>
    </span>
  )
}
