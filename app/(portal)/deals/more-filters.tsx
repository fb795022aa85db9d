'use client'

import { RadioField, ToggleButton, SelectField } from '#app/ui/fields.tsx'
import type { FlagField } from '#server/deals/columns.ts'
import {
  type Filter,
  type Range,
  filters,
  type FilterParam,
  markNames,
  marks,
} from '#server/search/filters.ts'
import type { Patch } from './active-filters.ts'
import { Choices } from './choices.tsx'
import { fieldLabels, labelledFlagFields } from './fields.ts'
import { pipelineList } from './filter-sections.tsx'
import type { FilterState } from './query.ts'

const answers = { any: 'Any', yes: 'Yes', no: 'No' }
type Answer = keyof typeof answers

type FlagState = Pick<FilterState, 'yes' | 'no'>

function answerOf(state: FlagState, field: FlagField): Answer {
  if (state.yes.includes(field)) return 'yes'
  return state.no.includes(field) ? 'no' : 'any'
}

const ranges = Object.entries<Filter>(filters).flatMap(([name, filter]) =>
  filter.kind === 'range' ? [{ name: name as 'amount' | 'size', ...filter }] : [],
)

/** Filters by progress, amount, system size and flags. */
export function MoreFilters({ state, change }: { state: FilterState; change: (patch: Patch) => void }) {
  return (
    <div className="w-88 max-w-full space-y-4 overflow-y-auto p-4">
      <ProgressFilters state={state} change={change} />
      {ranges.map(({ name, title, unit }) => (
        <RangeFields
          key={name}
          label={title}
          unit={unit}
          range={state[name]}
          onChange={(range) => change({ [name]: range })}
        />
      ))}
      <details open={state.pipeline.length > 0}>
        <summary className="font-medium">{pipelineList.label}</summary>
        <Choices
          kind={pipelineList.kind}
          label={pipelineList.label}
          chosen={state.pipeline}
          onChange={(pipeline) => change({ pipeline })}
        />
      </details>
      <FlagFields state={state} change={change} />
    </div>
  )
}

/** Shows a choice of yes, no or any for each flag. */
export function FlagFields({ state, change }: { state: FlagState; change: (patch: FlagState) => void }) {
  const setFlag = (field: FlagField, answer: Answer) =>
    change({
      yes: [...state.yes.filter((each) => each !== field), ...(answer === 'yes' ? [field] : [])],
      no: [...state.no.filter((each) => each !== field), ...(answer === 'no' ? [field] : [])],
    })
  return (
    <div className="space-y-1.5">
      {labelledFlagFields.map((field) => (
        <RadioField
          key={field}
          label={fieldLabels[field].label}
          name={field}
          choices={answers}
          value={answerOf(state, field)}
          onChange={(answer) => setFlag(field, answer)}
        />
      ))}
    </div>
  )
}

/** Shows fields for the minimum and maximum of a range. */
export function RangeFields({
  label,
  unit,
  range,
  onChange,
}: {
  label: string
  unit: string
  range: Range | null
  onChange: (range: Range | null) => void
}) {
  function set(end: 'min' | 'max', input: HTMLInputElement) {
    if (!input.validity.valid) return
    const { [end]: _, ...other } = range ?? {}
    const next: Range = input.value === '' ? other : { ...other, [end]: Number(input.value) }
    onChange(Object.keys(next).length === 0 ? null : next)
  }
  return (
    <fieldset>
      <legend className="mb-1.5 font-medium">
        {label} <span className="font-normal text-ink-soft">({unit})</span>
      </legend>
      <div className="grid grid-cols-2 gap-3">
        {(['min', 'max'] as const).map((end) => (
          <input
            key={end}
            type="number"
            inputMode="decimal"
            step="any"
            min={0}
            max={999_999_999}
            aria-label={`${label} ${end === 'min' ? 'from' : 'to'}`}
            placeholder={end === 'min' ? 'From' : 'To'}
            defaultValue={range?.[end] ?? ''}
            onChange={({ target }) => set(end, target)}
            className="h-9 w-full rounded-lg border border-control bg-surface px-2.5 text-base placeholder:text-ink-soft sm:text-sm"
          />
        ))}
      </div>
    </fieldset>
  )
}

const buttons = markNames.flatMap((value) => {
  const { button: label } = marks[value]
  return label === undefined ? [] : [{ value, label }]
})

const selects = Object.entries<Filter>(filters).flatMap(([name, filter]) =>
  filter.kind === 'names' && filter.select !== undefined
    ? [
        {
          name: name as FilterParam,
          label: filter.select,
          choices: Object.entries(filter.names).map(([value, label]) => ({ value, label })),
        },
      ]
    : [],
)

function ProgressFilters({ state, change }: { state: FilterState; change: (patch: Patch) => void }) {
  return (
    <>
      <div role="group" aria-label="Only deals that are" className="flex flex-wrap gap-1.5">
        {buttons.map(({ value, label }) => (
          <ToggleButton
            key={value}
            isOn={state.is.includes(value)}
            onClick={() =>
              change({
                is: state.is.includes(value)
                  ? state.is.filter((each) => each !== value)
                  : [...state.is, value],
              })
            }
            className="flex-1"
          >
            {label}
          </ToggleButton>
        ))}
      </div>
      <div className="grid grid-cols-2 gap-3">
        {selects.map(({ name, label, choices }) => (
          <SelectField
            key={name}
            label={label}
            choices={[{ value: '', label: 'Any' }, ...choices]}
            value={(state[name] as string[])[0] ?? ''}
            onChange={({ target }) =>
              change({ [name]: target.value === '' ? null : [target.value] } as Patch)
            }
          />
        ))}
      </div>
    </>
  )
}
