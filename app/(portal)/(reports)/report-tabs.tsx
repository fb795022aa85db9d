'use client'

import { CircleDashed } from 'lucide-react'
import { usePathname } from 'next/navigation'
import type { ReactNode } from 'react'
import { Link } from '#app/ui/link.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { PageHead } from '#app/ui/page-head.tsx'
import { useViewer } from '#app/ui/viewer.tsx'
import type { Offers } from '#server/insight/wire.ts'
import { currentEntry, entriesOf } from '../frame/navigation.ts'

type Offer = Exclude<keyof Offers, 'scorecard' | 'map'>

/** Deal fields that each report needs. */
const needed: Record<Offer, { page: string; href: string; fields: string }> = {
  flow: { page: 'Flow', href: '/flow', fields: 'dates of completed steps' },
  trends: { page: 'Trends', href: '/flow/trends', fields: 'created, NTP, install or funding dates' },
  reps: { page: 'Scorecard', href: '/scorecard', fields: 'closers, setters or account managers' },
}
const offerNames = Object.keys(needed) as Offer[]

/** Shows the tabs of the reports, and which deal fields would make more reports available. */
export function ReportTabs() {
  const { role, offers, seesAllPartners } = useViewer()
  const tabs = entriesOf('reports', { role, offers, chosenPartner: null })
  const current = currentEntry(tabs, usePathname())
  const missing = offerNames.filter((name) => !offers[name]).map((name) => needed[name])
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
          More reports open once your deals have{' '}
          {missing.map(({ page, fields }) => `${fields} (${page})`).join('; ')}.
        </p>
      )}
    </div>
  )
}

/** Shows a report or, if no deal has the necessary fields, the names of these fields. */
export function Report({ children }: { children: ReactNode }) {
  const { offers } = useViewer()
  const path = usePathname()
  const name = offerNames.find((each) => needed[each].href === path)
  if (name === undefined || offers[name]) return children
  const { page, fields } = needed[name]
  return (
    <>
      <PageHead title={page} />
      <div className="rounded-xl border border-line bg-surface">
        <Notice icon={CircleDashed} title={`No ${fields}`}>
          This report opens once your deals have some.
        </Notice>
      </div>
    </>
  )
}
