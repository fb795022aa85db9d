import { TextField } from '#app/ui/fields.tsx'
import { Choices } from '../../deals/choices.tsx'
import { fieldLabels } from '../../deals/fields.ts'
import { SheetSection } from '../../deals/filter-sheet.tsx'
import { FlagFields, RangeFields } from '../../deals/more-filters.tsx'
import type { FilterChoice } from './subscription-filter.ts'

const lists = [
  { name: 'stage', kind: 'stages', label: 'Stage' },
  { name: 'pipeline', kind: 'pipelines', label: 'Pipeline' },
  { name: 'state', kind: 'states', label: 'State' },
  { name: 'changed', kind: 'fields', label: 'Changed fields' },
] as const

const flagTexts = ({ yes, no }: FilterChoice) => [
  ...yes.map((field) => `${fieldLabels[field].label}: yes`),
  ...no.map((field) => `${fieldLabels[field].label}: no`),
]

const textOf = ({ changed, ...choice }: FilterChoice, name: (typeof lists)[number]['name']) =>
  (name === 'changed' ? changed.map((field) => fieldLabels[field].label) : choice[name]).join(', ')

/** Shows the deal filters that apply to webhook events, and the fields whose changes trigger an event. */
export function FilterFields({
  choice,
  problem,
  onChange,
}: {
  choice: FilterChoice
  /** Why the filter is invalid; undefined if it is valid. */
  problem: string | undefined
  onChange: (choice: FilterChoice) => void
}) {
  const change = (patch: Partial<FilterChoice>) => onChange({ ...choice, ...patch })
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1.5 font-medium">Deals</legend>
      {lists.map(({ name, kind, label }) => (
        <SheetSection key={name} label={label} value={textOf(choice, name)}>
          <Choices
            kind={kind}
            label={label}
            isOnlyKnown
            chosen={choice[name]}
            onChange={(values) => change({ [name]: values })}
          />
        </SheetSection>
      ))}
      <SheetSection label="Yes or no" value={flagTexts(choice).join(', ')}>
        <FlagFields state={choice} change={change} />
      </SheetSection>
      <div className="flex flex-col gap-4 border-t border-line pt-4">
        <RangeFields
          label="Amount"
          unit="$"
          range={choice.amount}
          onChange={(amount) => change({ amount })}
        />
        <TextField
          label="More conditions"
          hint="Other search parameters, joined by &, such as has=permitSubmitted&createdAfter=2026-01-01."
          error={problem}
          value={choice.more}
          onChange={({ target }) => change({ more: target.value })}
        />
      </div>
    </fieldset>
  )
}
