'use client'

import { Command } from 'cmdk'
import { Check } from 'lucide-react'
import { useState } from 'react'
import { trpc } from '#app/trpc.ts'
import { formatCount } from '#app/ui/format.ts'
import { SectionFailure } from '#app/ui/states.tsx'
import { AsOf, refetchOld } from '#app/ui/times.tsx'
import { useViewer } from '#app/ui/viewer.tsx'
import type { RoleField } from '#server/deals/columns.ts'
import { filters } from '#server/search/filters.ts'
import { minuteMs } from '#server/values/units.ts'
import { valueText } from './active-filters.ts'
import { changeableFields, fieldLabels, labelledRoleFields } from './fields.ts'
import { stageLooks, useStageOf } from './stages-of-page.tsx'

export type ChoiceKind =
  | 'stages'
  | 'pipelines'
  | 'states'
  | 'regions'
  | 'people'
  | 'partners'
  | 'assignees'
  | 'utilities'
  | 'lenders'
  | 'fields'

const { values: assigneeLabels } = filters.assignee
const fieldNames = Object.fromEntries(changeableFields.map((field) => [field, fieldLabels[field].label]))
const fieldChoices = changeableFields.map((value) => ({ value }))

const valueLabels: Partial<Record<ChoiceKind, Readonly<Record<string, string>>>> = {
  assignees: assigneeLabels,
  fields: fieldNames,
}

/** Shows the values of a field with their counts. Any number of values can be selected. */
export function Choices({
  kind,
  label,
  chosen,
  isFocused = false,
  isOnlyKnown = false,
  onChange,
  roles,
  onRoles,
}: {
  kind: ChoiceKind
  label: string
  chosen: string[]
  isFocused?: boolean
  isOnlyKnown?: boolean
  onChange: (values: string[]) => void
  roles?: RoleField[]
  onRoles?: (roles: RoleField[]) => void
}) {
  const { values, asOf, dataUpdatedAt, error, refetch } = useValues(kind)
  const [search, setSearch] = useState('')
  if (error !== null) return <SectionFailure error={error} retry={refetch} className="w-72 p-4" />
  const choices = isOnlyKnown ? values?.filter(({ value }) => value !== '') : values
  const visible = choices && findValues(kind, choices, chosen, search)
  return (
    <Command label={label} shouldFilter={false} loop className="flex min-h-0 w-72 max-w-full flex-col">
      <Command.Input
        autoFocus={isFocused}
        value={search}
        onValueChange={setSearch}
        placeholder={`Find in ${label.toLowerCase()}…`}
        className="h-11 border-b border-line bg-transparent px-4 text-base outline-none placeholder:text-ink-soft sm:text-sm"
      />
      <Values kind={kind} label={label} visible={visible} chosen={chosen} onChange={onChange} />
      {roles !== undefined && <RoleSelect roles={roles} onChange={(role) => onRoles?.(role)} />}
      {asOf !== null && (
        <p className="border-t border-line px-4 py-2 text-ink-soft">
          <AsOf asOf={asOf} nowMs={dataUpdatedAt} />
        </p>
      )}
      {chosen.length > 0 && (
        <div className="border-t border-line p-1.5">
          <button
            type="button"
            onClick={() => onChange([])}
            className="h-9 w-full rounded-lg text-ink-soft hover:bg-sunken hover:text-ink"
          >
            Clear
          </button>
        </div>
      )}
    </Command>
  )
}

const often = { staleTime: minuteMs, refetchInterval: refetchOld }

/**
 * Returns the values of a field with their counts. Counties come from the map, colleagues from the team. The
 * filter by field has no values.
 */
function useValues(kind: ChoiceKind) {
  const { offers } = useViewer()
  const isOfMap = kind === 'regions'
  const isOfTeam = kind === 'assignees'
  const team = trpc.deals.colleagues.useQuery(undefined, { enabled: isOfTeam })
  const isFields = kind === 'fields'
  const choices = trpc.deals.choices.useQuery({}, { ...often, enabled: !isOfTeam && !isFields })
  const map = trpc.deals.map.useQuery({}, { ...often, enabled: isOfMap && offers.map })
  if (isOfTeam) {
    const names = team.data?.map(({ name }) => name)
    const values = names && [...Object.keys(assigneeLabels), ...new Set(names)].map((value) => ({ value }))
    return { ...team, values, asOf: null }
  }
  if (isFields) return { ...choices, values: fieldChoices, asOf: null }
  const { dataUpdatedAt, error, refetch, data } = choices
  const values = isOfMap
    ? data && [
        ...data.states,
        ...(map.data?.counties ?? []).map(({ place: value, count }) => ({ value, count })),
      ]
    : data?.[kind as keyof typeof data & ChoiceKind]
  return { values, asOf: data?.asOf ?? null, dataUpdatedAt, error, refetch }
}

function Values({
  kind,
  label,
  visible,
  chosen,
  onChange,
}: {
  kind: ChoiceKind
  label: string
  visible: Counted[] | undefined
  chosen: string[]
  onChange: (values: string[]) => void
}) {
  return (
    <Command.List
      className="max-h-80 scroll-py-1.5 overflow-y-auto p-1.5"
      label={label}
      aria-multiselectable="true"
    >
      {visible === undefined && <Note>Loading…</Note>}
      {visible?.length === 0 && <Note>No results.</Note>}
      {visible?.slice(0, shownMax).map(({ value, count }) => (
        <Choice
          key={value}
          value={value}
          count={count}
          isStage={kind === 'stages'}
          label={valueText(value, valueLabels[kind])}
          isChosen={chosen.includes(value)}
          onSelect={() =>
            onChange(chosen.includes(value) ? chosen.filter((each) => each !== value) : [...chosen, value])
          }
        />
      ))}
      {visible !== undefined && visible.length > shownMax && <Note>Type to find more.</Note>}
    </Command.List>
  )
}

const RoleSelect = ({ roles, onChange }: { roles: RoleField[]; onChange: (roles: RoleField[]) => void }) => (
  <label className="flex items-center gap-3 border-t border-line px-4 py-2">
    Role
    <select
      value={roles[0] ?? ''}
      onChange={({ target }) => onChange(labelledRoleFields.filter((role) => role === target.value))}
      className="h-9 min-w-0 flex-1 rounded-lg border border-control bg-surface px-2.5 text-base sm:text-sm"
    >
      <option value="">Any</option>
      {labelledRoleFields.map((role) => (
        <option key={role} value={role}>
          {fieldLabels[role].label}
        </option>
      ))}
    </select>
  </label>
)

// The United States has three thousand counties.
const shownMax = 200

interface Counted {
  value: string
  /** Number of deals; undefined if a selected value matches no deal. */
  count?: number
}

/** Returns the values that match all words of the search, including selected values without deals. */
function findValues(kind: ChoiceKind, known: Counted[], chosen: string[], search: string): Counted[] {
  const unknown = chosen.filter((value) => !known.some((each) => each.value === value))
  const words = search.toLowerCase().split(/\s+/)
  return [...known, ...unknown.map((value) => ({ value }))].filter(({ value }) =>
    words.every((word) => valueText(value, valueLabels[kind]).toLowerCase().includes(word)),
  )
}

const Note = ({ children }: { children: string }) => (
  <p role="presentation" className="px-2.5 py-2 text-ink-soft">
    {children}
  </p>
)

function Choice({
  value,
  label,
  count,
  isStage,
  isChosen,
  onSelect,
}: Counted & { label: string; isStage: boolean; isChosen: boolean; onSelect: () => void }) {
  const stageOf = useStageOf()
  return (
    <Command.Item
      value={`v${value}`}
      aria-checked={isChosen}
      onSelect={onSelect}
      className="flex min-h-9 cursor-pointer items-center gap-2.5 rounded-lg px-2.5 data-[selected=true]:bg-sunken"
    >
      <span
        aria-hidden="true"
        className={`grid size-4 shrink-0 place-items-center rounded border ${isChosen ? 'border-accent bg-accent text-on-accent' : 'border-control'}`}
      >
        {isChosen && <Check className="size-3" />}
      </span>
      {isStage && (
        <span
          aria-hidden="true"
          className={`size-2 shrink-0 rounded-full ${stageLooks[stageOf(value).tone].dot}`}
        />
      )}
      <span className={`min-w-0 flex-1 truncate ${value === '' ? 'text-ink-soft italic' : ''}`}>{label}</span>
      {count !== undefined && <span className="text-ink-soft tabular-nums">{formatCount(count)}</span>}
    </Command.Item>
  )
}
