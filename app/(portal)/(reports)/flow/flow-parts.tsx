import { type ReactNode, useId } from 'react'
import { SelectField } from '#app/ui/fields.tsx'
import { formatCountOf, formatCount } from '#app/ui/format.ts'
import { PageHead } from '#app/ui/page-head.tsx'
import { AsOf } from '#app/ui/times.tsx'
import { type FlowPeriod, type StepUsual, flowPeriods } from '#server/insight/periods.ts'
import type { FlowFigures, SliceName } from '#server/insight/reports-wire.ts'

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

/** Returns select options for these labels. */
export const choicesOf = <Name extends string>(labels: Record<Name, string>) =>
  (Object.entries(labels) as [Name, string][]).map(([value, label]) => ({ value, label }))

/** Returns the label of a field's value. An empty value means not set. */
export const valueName = (value: string) => (value === '' ? 'Not set' : value)

/** Shows figures for each value of a selected field, with one additional select. */
export function SlicedSection<Name extends string, Other extends string>({
  labels,
  by,
  onBy,
  other,
  children,
}: {
  labels: Record<Name, string>
  by: Name
  onBy: (name: Name) => void
  other: {
    label: string
    choices: { value: Other; label: string }[]
    value: Other
    onChange: (value: Other) => void
  }
  children: ReactNode
}) {
  const headId = useId()
  return (
    <section aria-labelledby={headId} className="min-w-0">
      <div className="mb-3 flex flex-wrap items-center gap-3">
        <h2 id={headId} className="mr-auto font-semibold max-sm:w-full">
          By {labels[by].toLowerCase()}
        </h2>
        <SelectField
          label="Slice by"
          isLabelShown={false}
          choices={choicesOf(labels)}
          value={by}
          onChange={({ target }) => onBy(target.value as Name)}
        />
        <SelectField
          label={other.label}
          isLabelShown={false}
          choices={other.choices}
          value={other.value}
          onChange={({ target }) => other.onChange(target.value as Other)}
        />
      </div>
      {children}
    </section>
  )
}

/** Shows how many values are listed, unless all of them are. */
export function MoreValues({ shown, all }: { shown: number; all: number }) {
  if (all <= shown) return null
  return (
    <p className="text-ink-soft">
      {shown} of {formatCount(all)}, most frequent first.
    </p>
  )
}

const periodChoices = flowPeriods.map((value) => ({ value, label: `Last ${value} months` }))

export const sliceLabels: Record<SliceName, string> = {
  utilityName: 'Utility',
  city: 'City',
  stage: 'Stage',
  closerName: 'Closer',
  pipeline: 'Pipeline',
}

export const measureLabels = {
  median: 'Median days',
  slow: '80% within (days)',
  reached: 'Share of created deals',
}

/** Describes how the median changed since the previous period. Returns null if either median is unknown. */
export function paceText(
  now: StepUsual,
  previous: StepUsual,
): { text: string; isBetter: boolean | null } | null {
  if (now.usual === null || previous.usual === null) return null
  const days = now.usual.median - previous.usual.median
  if (days === 0) return { text: 'Same', isBetter: null }
  return {
    text: `${formatCountOf(Math.abs(days), 'day')} ${days < 0 ? 'faster' : 'slower'}`,
    isBetter: days < 0,
  }
}

/** Formats a share of a whole, such as `82%`. */
export const shareText = (part: number, whole: number) =>
  whole === 0 ? '' : `${Math.round((100 * part) / whole)}%`

type LeftOut = FlowFigures['leftOut']

/** Describes the deals that are not part of the step durations. */
export const lengthsLeftOut = ({ undated }: Pick<LeftOut, 'undated'>) => [
  { ...undated, what: 'without enough dates' },
]

/** Describes the deals that are not part of the conversion rates. */
export const conversionLeftOut = ({ reachNotKnown, notCreated }: LeftOut) => [
  { ...reachNotKnown, what: 'without enough dates to tell how far they got' },
  { ...notCreated, what: 'without a creation date' },
]
