'use client'

import { usePathname } from 'next/navigation'
import { Link } from '#app/ui/link.tsx'
import type { Offers } from '#server/insight/wire.ts'
import { currentEntry, entriesOf } from '../frame/navigation.ts'
import { useViewer } from '../viewer-of-page.tsx'

/** The fields that each page needs. */
const needed: Record<Exclude<keyof Offers, 'scorecard'>, string> = {
  map: 'coordinates (Map)',
  flow: 'dates of completed steps (Flow)',
  trends: 'created, NTP, install or funding dates (Trends)',
  reps: 'closers, setters or account managers (Scorecard)',
}

/** Links the reports with each other, and names the fields that would open more. */
export function ReportTabs() {
  const { role, offers, seesAllPartners } = useViewer()
  const tabs = entriesOf('reports', { role, offers, chosenPartner: null })
  const current = currentEntry(tabs, usePathname())
  const missing = (Object.keys(needed) as (keyof typeof needed)[]).filter((name) => !offers[name])
  return (
    <div className="mb-5 border-b border-line print:hidden">
      <nav aria-label="Reports" className="flex gap-5 overflow-x-auto">
        {tabs.map((tab) => (
          <Link
            key={tab.href}
            href={tab.href}
            aria-current={tab === current ? 'page' : undefined}
            className="touch -mb-px flex h-9 items-center border-b-2 border-transparent font-medium whitespace-nowrap text-ink-soft hover:text-ink aria-[current=page]:border-accent aria-[current=page]:text-ink"
          >
            {tab.label}
          </Link>
        ))}
      </nav>
      {missing.length > 0 && !seesAllPartners && (
        <p className="pt-1 pb-2 text-xs text-pretty text-ink-soft">
          More reports open once your deals have {missing.map((name) => needed[name]).join(', ')}.
        </p>
      )}
    </div>
  )
}
