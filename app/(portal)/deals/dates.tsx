'use client'

import { type ReactNode, useState } from 'react'
import { ToggleButton } from '#app/ui/fields.tsx'
import { useZone } from '#app/ui/times.tsx'
import { zoneLabel } from '#server/accounts/zone-choice.ts'
import { newsKinds } from '#server/search/filters.ts'
import { type DayWindow, type Days, isDay, parseDays } from '#server/values/day-choice.ts'
import {
  type Patch,
  type DayFilter,
  dateChoiceOf,
  dateFields,
  dayFilterLabel,
  dayFilters,
  isNews,
  windowChoices,
} from './active-filters.ts'
import { timeFieldsIn } from './fields.ts'
import { textOfDays } from './list-href.ts'
import { type FilterState } from './query.ts'
import type { DealsQuery } from './use-deals-state.ts'

/** Choices shown before the others are expanded. */
const firstPresets: readonly string[] = [
  'today',
  'this-week',
  'last-7-days',
  'last-30-days',
  'this-month',
  'next-7-days',
]

/** Common choices. Saved views store the choice itself, so that "last 7 days" stays relative. */
const datePresets = [
  ...windowChoices,
  { value: 'last-90-days', label: 'Last 90 days' },
  { value: 'this-month', label: 'This month' },
  { value: 'last-month', label: 'Last month' },
  { value: 'this-year', label: 'This year' },
  { value: 'next-7-days', label: 'Next 7 days' },
  { value: 'next-30-days', label: 'Next 30 days' },
  { value: 'over-30-days', label: 'Over 30 days ago' },
  { value: 'over-90-days', label: 'Over 90 days ago' },
]

/** The range that contains yesterday and today. */
const sinceYesterday: DayWindow = 'last-2-days'

const milestones = timeFieldsIn('Milestones')
const ofTheDeal = dateFields.filter((field) => !milestones.includes(field))

const choices = [
  { value: 'any', label: 'Any time' },
  ...datePresets,
  { value: 'is set', label: 'Has a date' },
  { value: 'no date', label: 'No date' },
]
// Changes always lie in the past.
const newsChoices = [choices[0]!, ...datePresets.filter(({ value }) => !value.startsWith('next-'))]

/** Filters by changes and by any date except the start of the stage. */
export function Dates({ state, change, today }: DealsQuery) {
  const filtered = dayFilters.filter((field) => dateChoiceOf(state, field) !== 'any')
  const [field, setField] = useState<DayFilter>(filtered[0] ?? 'createDate')
  // Changed to remount the inputs when a button fills them, but not while the user types.
  const [filled, setFilled] = useState(0)
  const choice = dateChoiceOf(state, field)
  const set = (next: string) => change(withDateChoice(state, field, next))
  const [isWhole, setWhole] = useState(false)
  const all = isNews(field) ? newsChoices : choices
  const isFirst = (value: string) => value === 'any' || firstPresets.includes(value) || value === choice
  const visible = isWhole ? all : all.filter(({ value }) => isFirst(value))
  return (
    <div className="w-80 max-w-full overflow-y-auto p-4">
      <FieldSelect field={field} filtered={filtered} onChange={setField} />
      <ToggleGroup
        label={`When: ${dayFilterLabel(field)}`}
        choices={visible}
        chosen={choice}
        onChange={(value) => {
          set(value)
          setFilled(filled + 1)
        }}
      >
        {!isWhole && (
          <button
            type="button"
            onClick={() => setWhole(true)}
            className="h-8 rounded-lg px-2.5 text-left text-ink-soft hover:bg-sunken"
          >
            More…
          </button>
        )}
      </ToggleGroup>
      <DayRange key={`${field} ${filled}`} days={parseDays(choice, today) ?? {}} onChange={set} />
      <TimeZone />
    </div>
  )
}

const TimeZone = () => <p className="mt-2 text-xs text-ink-soft">Time zone: {zoneLabel(useZone())}</p>

const stageChoices = [
  { value: null, label: 'Any time' },
  { value: sinceYesterday, label: 'Since yesterday' },
  { value: '0-to-7-days', label: 'Up to 7 days' },
  { value: '8-to-30-days', label: '8–30 days' },
  { value: '31-to-60-days', label: '31–60 days' },
  ...[14, 30, 60, 90, 180].map((days) => ({ value: `over-${days}-days`, label: `Over ${days} days` })),
]

/** Filters by time in the current stage. */
export function TimeInStage({
  chosen,
  onChange,
}: {
  chosen: string | null
  onChange: (choice: string | null) => void
}) {
  return (
    <div className="w-80 max-w-full p-4 pt-1">
      <ToggleGroup label="Time in stage" choices={stageChoices} chosen={chosen} onChange={onChange} />
      <p className="mt-2 text-xs text-ink-soft">Counted from the date in your CRM.</p>
    </div>
  )
}

function ToggleGroup<Value extends string | null>({
  label: group,
  choices: all,
  chosen,
  onChange,
  children,
}: {
  label: string
  choices: readonly { value: Value; label: string }[]
  chosen: Value
  onChange: (value: Value) => void
  children?: ReactNode
}) {
  return (
    <div role="group" aria-label={group} className="mt-3 grid grid-cols-2 gap-1.5">
      {all.map(({ value, label }) => (
        <ToggleButton
          key={label}
          isOn={chosen === value}
          onClick={() => onChange(value)}
          className="text-left"
        >
          {label}
        </ToggleButton>
      ))}
      {children}
    </div>
  )
}

function FieldSelect({
  field,
  filtered,
  onChange,
}: {
  field: DayFilter
  filtered: DayFilter[]
  onChange: (field: DayFilter) => void
}) {
  const option = (day: DayFilter) => (
    <option key={day} value={day}>
      {dayFilterLabel(day)}
      {filtered.includes(day) ? ' •' : ''}
    </option>
  )
  return (
    <label className="block">
      <span className="mb-1.5 block font-medium">Date</span>
      <select
        value={field}
        onChange={({ target }) => onChange(target.value as DayFilter)}
        className={control}
      >
        <optgroup label="Changes">{newsKinds.map(option)}</optgroup>
        <optgroup label="Deal">{ofTheDeal.map(option)}</optgroup>
        <optgroup label="Milestones">{milestones.map(option)}</optgroup>
      </select>
    </label>
  )
}

function DayRange({ days, onChange }: { days: Days; onChange: (choice: string) => void }) {
  function setEnd(end: 'from' | 'to', value: string) {
    if (value === '' || isDay(value)) onChange(textOfDays({ ...days, [end]: value }) ?? 'any')
  }
  return (
    <div className="mt-3 grid grid-cols-2 gap-3">
      {(['from', 'to'] as const).map((end) => (
        <label key={end} className="block">
          <span className="mb-1 block text-xs text-ink-soft">{end === 'from' ? 'From' : 'To'}</span>
          <input
            type="date"
            defaultValue={days[end] ?? ''}
            max="9999-12-31"
            onChange={({ target }) => {
              if (target.value !== '') setEnd(end, target.value)
            }}
            // A partially typed date has an empty value, so clear the date only on blur.
            onBlur={({ target }) => {
              if (target.value === '' && days[end] !== undefined && target.validity.valid) setEnd(end, '')
            }}
            className={control}
          />
        </label>
      ))}
    </div>
  )
}

const control = 'h-9 w-full rounded-lg border border-control bg-surface px-2.5 text-base sm:text-sm'

/** Returns the change that sets the filter of one date field and keeps the others. */
export function withDateChoice(state: FilterState, field: DayFilter, choice: string): Patch {
  if (isNews(field)) return { [field]: choice === 'any' ? null : choice }
  const others = <Name extends string>(fields: Name[]) => fields.filter((each) => each !== field)
  return {
    has: [...others(state.has), ...(choice === 'is set' ? [field] : [])],
    lacks: [...others(state.lacks), ...(choice === 'no date' ? [field] : [])],
    [field]: ['any', 'is set', 'no date'].includes(choice) ? null : choice,
  }
}
