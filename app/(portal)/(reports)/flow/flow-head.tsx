import type { ReactNode } from 'react'
import { SelectField } from '#app/ui/fields.tsx'
import { PageHead } from '#app/ui/page-head.tsx'
import { AsOf } from '#app/ui/times.tsx'
import type { FlowPeriod } from '#server/insight/period.ts'
import { periodChoices } from './labels.ts'

/** The header of the Flow pages, with the choice of period. */
export function FlowHead({
  title,
  about,
  asOf,
  nowMs,
  months,
  onMonths,
  children,
}: {
  title: string
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
  )
}
