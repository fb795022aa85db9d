import type { ReactNode } from 'react'
import { SelectField } from '#app/ui/fields.tsx'
import { Link } from '#app/ui/link.tsx'
import { PageHead } from '#app/ui/page-head.tsx'
import { AsOf } from '#app/ui/times.tsx'
import type { FlowPeriod } from '#server/insight/period.ts'
import { periodChoices } from './labels.ts'

/** The header of the Flow pages, with the choice of period. */
export function FlowHead({
  title,
  tab,
  about,
  asOf,
  nowMs,
  months,
  onMonths,
  children,
}: {
  title: string
  tab: 'Steps' | 'Trends'
  about: string
  /** ISO 8601: the time of the figures; null if current or not loaded yet. */
  asOf: string | null
  nowMs: number
  months: FlowPeriod
  onMonths: (months: FlowPeriod) => void
  /** Further choices. */
  children?: ReactNode
}) {
  return (
    <>
      <PageHead
        title={title}
        about={
          <>
            {about} <AsOf asOf={asOf} nowMs={nowMs} />
          </>
        }
      >
        {children}
        <SelectField
          label="Period"
          isLabelShown={false}
          choices={periodChoices}
          value={months}
          onChange={({ target }) => onMonths(target.value as FlowPeriod)}
        />
      </PageHead>
      <FlowTabs current={tab} />
    </>
  )
}

const tabs = [
  { label: 'Steps', href: '/flow' },
  { label: 'Trends', href: '/flow/trends' },
]

/** Links the Flow pages with each other. */
function FlowTabs({ current }: { current: 'Steps' | 'Trends' }) {
  return (
    <nav aria-label="Flow" className="mb-5 flex gap-5 border-b border-line print:hidden">
      {tabs.map(({ label, href }) => (
        <Link
          key={label}
          href={href}
          aria-current={label === current ? 'page' : undefined}
          className="-mb-px border-b-2 border-transparent pb-2 font-medium text-ink-soft hover:text-ink aria-[current=page]:border-accent aria-[current=page]:text-ink"
        >
          {label}
        </Link>
      ))}
    </nav>
  )
}
