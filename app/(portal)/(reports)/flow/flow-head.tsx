import type { ReactNode } from 'react'
import { SelectField } from '#app/ui/fields.tsx'
import { PageHead } from '#app/ui/page-head.tsx'
import { AsOf } from '#app/ui/times.tsx'
import type { FlowPeriod } from '#server/insight/periods.ts'
import { periodChoices } from './labels.ts'

/** Shows the header of the Flow pages, including the period filter. */
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
  /** Time of the figures in ISO 8601; null if the figures are current or still loading. */
  asOf: string | null
  nowMs: number
  months: FlowPeriod
  onMonths: (months: FlowPeriod) => void
  /** Additional filters. */
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
