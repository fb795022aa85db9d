import { formatDay, formatDollars } from '#app/ui/format.ts'
import type { DealField } from '#server/deals/deal.ts'
import type { TimeField } from '#server/deals/find/columns.ts'
import { type NewsKind, newsKinds } from '#server/deals/find/news.ts'
import { valueFields } from '#server/deals/find/value-field.ts'
import type { DealFilter } from '#server/deals/find/wire.ts'
import type { StepNow } from '#server/deals/milestones/flow.ts'
import { type MilestoneName, milestoneOf } from '#server/deals/milestones/milestone.ts'
import { utc } from '#server/protocol/zone.ts'
import { type Days, parseDateChoice, windowText } from './dates.ts'
import { fieldLabels, isDuration, labelledTimeFields, newsLabels } from './field-labels.ts'
import { reachLabel, stepLabel } from './flow-labels.ts'
import { gateLabels, holdLabels } from './money-labels.ts'
import { type FilterState, type Range, dealsParsers, filterOf } from './query.ts'

/** Changes to the query; null removes the parameter. */
export type Patch = { [Name in keyof FilterState]?: FilterState[Name] | null }

/** One active filter. */
export interface ActiveFilter {
  label: string
  value: string
  /** The change that removes it. */
  without: Patch
}

const lists = {
  stage: 'Stage',
  pipeline: 'Pipeline',
  state: 'State',
  place: 'Place',
  person: 'People',
  of: 'Partner',
} as const

// In the order of the chips.
const marks = {
  gate: ['Money', gateLabels],
  hold: ['Waiting on', holdLabels],
  is: ['Deals', { open: 'open', late: 'late', lost: 'lost', mine: 'mine', undated: 'without enough dates' }],
} as const

const sets = {
  has: 'is set',
  lacks: 'no date',
  done: 'done',
  todo: 'to do',
  late: 'late',
  yes: 'yes',
  no: 'no',
} as const

/** Returns the active filters, without the search, as labels. */
export const activeFilters = (state: FilterState): ActiveFilter[] => [
  ...(Object.keys(lists) as (keyof typeof lists)[]).flatMap((name) =>
    name === 'person' ? personFilter(state) : listFilter(lists[name], name, state[name]),
  ),
  ...areaFilter(state),
  ...newsFilters(state),
  ...dateFilters(state),
  ...valueFields.flatMap((field) => listFilter(fieldLabels[field].label, field, state[field])),
  ...setFilters(state),
  ...listFilter('In step', 'wait', waitTexts(state.wait ?? {})),
  ...listFilter('Took', 'took', state.took.map(reachLabel)),
  ...listFilter('Reached', 'reached', state.reached.map(reachLabel)),
  ...markFilters(state),
  ...rangeFilter('Amount', 'amount', state.amount, formatDollars),
  ...rangeFilter('System', 'size', state.size, (size) => `${size} kW`),
]

/** Returns the filter by people, with the roles that they have in the deals. */
function personFilter({ person, role }: FilterState): ActiveFilter[] {
  if (role.length === 0) return listFilter(lists.person, 'person', person)
  return listFilter(rolesText(role), 'person', person).map((each) => ({
    ...each,
    without: { ...each.without, role: null },
  }))
}

const areaFilter = ({ area }: FilterState): ActiveFilter[] =>
  area === null ? [] : [{ label: 'Area', value: areaText(area), without: { area: null } }]

const newsFilters = (state: FilterState): ActiveFilter[] =>
  newsKinds.flatMap((kind) => {
    const text = state[kind]
    if (text === null) return []
    return [{ label: newsLabels[kind], value: daysText(kind, text), without: { [kind]: null } }]
  })

const dateFilters = (state: FilterState): ActiveFilter[] =>
  labelledTimeFields.flatMap((field) => {
    const text = state[field]
    if (text === null) return []
    return [{ label: fieldLabels[field].label, value: daysText(field, text), without: { [field]: null } }]
  })

/** Returns the active filters for present fields and completed milestones, one per value. */
const setFilters = (state: FilterState): ActiveFilter[] =>
  (Object.keys(sets) as (keyof typeof sets)[]).flatMap((name) =>
    (state[name] as (DealField | MilestoneName)[]).map((value) => ({
      label:
        name === 'done' || name === 'todo' || name === 'late'
          ? milestoneOf(value as MilestoneName).label
          : fieldLabels[value as DealField].label,
      value: name === 'lacks' && !isTime(value) ? 'not given' : sets[name],
      without: withoutValue(state, name, value),
    })),
  )

const isTime = (name: string) => (labelledTimeFields as readonly string[]).includes(name)

const markFilters = (state: FilterState): ActiveFilter[] =>
  (Object.keys(marks) as (keyof typeof marks)[]).flatMap((name) =>
    (state[name] as string[]).map((value) => ({
      label: marks[name][0],
      value: (marks[name][1] as Record<string, string>)[value]!,
      without: withoutValue(state, name, value),
    })),
  )

const rangeFilter = (
  label: string,
  name: 'amount' | 'size',
  range: Range | null,
  format: (value: number) => string,
): ActiveFilter[] =>
  range === null ? [] : [{ label, value: rangeText(range, format), without: { [name]: null } }]

/** Returns the change that removes one value of a list. */
const withoutValue = (
  state: FilterState,
  name: keyof typeof sets | keyof typeof marks,
  value: string,
): Patch => ({
  [name]: (state[name] as string[]).filter((each) => each !== value),
})

/** Returns the filter by any of these values as one; none without values. */
const listFilter = (label: string, name: keyof FilterState, values: string[]): ActiveFilter[] =>
  values.length === 0 ? [] : [{ label, value: listText(values), without: { [name]: null } }]

/** Returns the state after a change. */
export function patched<State extends FilterState>(state: State, patch: Patch): State {
  const given = Object.entries(patch).map(([name, value]) => {
    const { defaultValue = null } = dealsParsers[name as keyof FilterState] as { defaultValue?: unknown }
    return [name, value ?? defaultValue]
  })
  return { ...state, ...Object.fromEntries(given) }
}

/** Returns the filter after a change. */
export const filterWithout = (state: FilterState, patch: Patch, today: string): DealFilter =>
  filterOf(patched(state, patch), today)

/** Returns the label of a list value; an empty text means not given. */
export const valueText = (value: string) => (value === '' ? 'Not given' : value)

const rolesText = (roles: FilterState['role']) => roles.map((role) => fieldLabels[role].label).join(', ')

function listText(values: string[]): string {
  const shown = values.slice(0, 2).map(valueText).join(', ')
  return values.length > 2 ? `${shown} +${values.length - 2}` : shown
}

/** Returns the steps with the fewest days in each. */
const waitTexts = (waits: NonNullable<FilterState['wait']>) =>
  (Object.entries(waits) as [StepNow, number][]).map(
    ([step, days]) =>
      (step === 'unknown' ? 'not known' : stepLabel(step)) + (days === 0 ? '' : ` for ${days}+ days`),
  )

/** Returns an area by its corners in the south-west and the north-east, as coordinates are written. */
function areaText({ west, south, east, north }: NonNullable<FilterState['area']>): string {
  const corner = (latitude: number, longitude: number) => `${latitude.toFixed(2)}, ${longitude.toFixed(2)}`
  return `${corner(south, west)} to ${corner(north, east)}`
}

function rangeText({ min, max }: Range, format: (value: number) => string): string {
  if (max === undefined) return `from ${format(min!)}`
  return min === undefined ? `up to ${format(max)}` : `${format(min)} – ${format(max)}`
}

/** Formats the days of a query parameter. */
function daysText(field: TimeField | NewsKind, text: string): string {
  const choice = parseDateChoice(text)
  const ago = isDuration(field) ? '' : ' ago'
  switch (choice?.kind) {
    case 'window':
      return windowText(choice.window)
    case 'last':
    case 'next':
      return `${choice.kind} ${choice.days} days`
    case 'over':
      return `over ${choice.days} days${ago}`
    case 'between':
      return `${choice.least === 0 ? 'up to ' : `${choice.least}–`}${choice.most} days${ago}`
    case 'period':
      return choice.name.replace('-', ' ')
    case 'range':
      return rangeOfDaysText(choice)
    case undefined:
      return text
  }
}

function rangeOfDaysText({ from, to }: Days): string {
  const day = (iso: string) => formatDay(`${iso}T00:00:00Z`, 0, utc)
  if (to === undefined) return `from ${day(from!)}`
  if (from === undefined) return `until ${day(to)}`
  return from === to ? day(from) : `${day(from)} – ${day(to)}`
}
