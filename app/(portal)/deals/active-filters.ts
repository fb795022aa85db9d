import { formatDay, formatDays, formatDollars } from '#app/ui/format.ts'
import type { TimeField } from '#server/deals/columns.ts'
import type { DealField } from '#server/deals/deal.ts'
import { type StepNow } from '#server/deals/flow.ts'
import { stepLabels } from '#server/deals/labels.ts'
import {
  type NewsKind,
  newsKinds,
  newsLabels,
  type Filter,
  type FilterName,
  type Mark,
  type Range,
  filters,
  missableNumbers,
} from '#server/search/filters.ts'
import { type DayWindow, type Days, dayWindows, parseDateChoice } from '#server/values/day-choice.ts'
import { utc } from '#server/values/zone.ts'
import { fieldLabels, isDuration, labelledTimeFields } from './fields.ts'
import { type FilterState, paramsOf } from './query.ts'

/** Changes to the query parameters. Null removes a parameter. */
export type Patch = { [Name in keyof FilterState]?: FilterState[Name] | null }

export interface ActiveFilter {
  label: string
  value: string
  without: Patch
}

// Chips of all other filters come last, in the order of the URL.
const firstChips = [
  'stage',
  'pipeline',
  'state',
  'place',
  'person',
  'of',
  'area',
  'news',
  'dates',
  'values',
  'has',
  'lacks',
  'done',
  'todo',
  'late',
  'yes',
  'no',
  'wait',
  'took',
  'reached',
] satisfies FilterName[]
const chipOrder = [...new Set<FilterName>([...firstChips, ...(Object.keys(filters) as FilterName[])])]

/** Returns the active filters as labeled values, without the search. */
export const activeFilters = (state: FilterState): ActiveFilter[] =>
  chipOrder.flatMap((name) =>
    paramsOf(name, filters[name]).flatMap((param) => chipsOf(param, filters[name], state)),
  )

function chipsOf(param: string, filter: Filter, state: FilterState): ActiveFilter[] {
  const value = (state as Readonly<Record<string, unknown>>)[param]
  const values = Array.isArray(value) ? (value as string[]) : []
  const whole = (label: string, text: string): ActiveFilter[] =>
    value === null || text === '' ? [] : [{ label, value: text, without: { [param]: null } }]
  const chipPerValue = (chipOf: (value: string) => Omit<ActiveFilter, 'without'>): ActiveFilter[] =>
    values.map((one) => ({ ...chipOf(one), without: { [param]: values.filter((other) => other !== one) } }))
  switch (filter.kind) {
    case 'search':
      return []
    case 'texts':
      if (param === 'person' && state.role.length > 0)
        return whole(rolesText(state.role), listText(values)).map((chip) => ({
          ...chip,
          without: { ...chip.without, role: null },
        }))
      return whole(filter.label, listText(values, filter.values))
    case 'names': {
      if (filter.narrows !== undefined) return []
      const { label, value: says, names } = filter
      const labelOf = (name: string) => (typeof names === 'string' ? labelOfField(name) : names[name]!)
      if (filter.isJoined) return whole(label!, listText(values.map(labelOf)))
      const valueOf = (name: string) => (isNumber(name) ? 'not set' : (says ?? labelOf(name)))
      return chipPerValue((name) => ({ label: label ?? labelOf(name), value: valueOf(name) }))
    }
    case 'flags':
      return chipPerValue((field) => ({ label: labelOfField(field), value: filter.value }))
    case 'marks':
      return chipPerValue((mark) => ({ label: filter.label, value: filter.marks[mark as Mark]!.value }))
    case 'values':
      return whole(labelOfField(param), listText(values))
    case 'waits':
      return whole(filter.label, listText(waitTexts(state.wait ?? {})))
    case 'area':
      return whole(filter.label, state.area === null ? '' : areaText(state.area))
    case 'range':
      return whole(filter.label, rangeText((value as Range | null) ?? {}, filter.unit))
    case 'days': {
      const label = typeof filter.names === 'string' ? labelOfField(param) : filter.names[param]!
      return whole(label, daysText(param, (value as string | null) ?? ''))
    }
  }
}

const isNumber = (field: string) => (missableNumbers as readonly string[]).includes(field)

export const labelOfField = (field: string) => fieldLabels[field as DealField].label

/** Returns the label of a value in a list. An empty value means not set. */
export const valueText = (value: string, labels?: Readonly<Record<string, string>>) =>
  labels?.[value] ?? (value === '' ? 'Not set' : value)

const rolesText = (roles: FilterState['role']) => roles.map((role) => fieldLabels[role].label).join(', ')

function listText(values: string[], labels?: Readonly<Record<string, string>>): string {
  const visible = values
    .slice(0, 2)
    .map((value) => valueText(value, labels))
    .join(', ')
  return values.length > 2 ? `${visible} +${values.length - 2}` : visible
}

const waitTexts = (waits: NonNullable<FilterState['wait']>) =>
  (Object.entries(waits) as [StepNow, number][]).map(
    ([step, days]) =>
      (step === 'unknown' ? 'not known' : stepLabels[step]) + (days === 0 ? '' : ` for ${days}+ days`),
  )

function areaText({ west, south, east, north }: NonNullable<FilterState['area']>): string {
  const corner = (latitude: number, longitude: number) => `${latitude.toFixed(2)}, ${longitude.toFixed(2)}`
  return `${corner(south, west)} to ${corner(north, east)}`
}

function rangeText({ min, max }: Range, unit: '$' | 'kW'): string {
  const format = (number: number) => (unit === '$' ? formatDollars(number) : `${number} ${unit}`)
  if (min === undefined) return max === undefined ? '' : `up to ${format(max)}`
  return max === undefined ? `from ${format(min)}` : `${format(min)} – ${format(max)}`
}

function daysText(field: string, text: string): string {
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
  return formatDays(from, to, 0, utc)
}

/** A date field or a kind of change that can be filtered by day. */
export type DayFilter = TimeField | NewsKind

export const isNews = (field: DayFilter): field is NewsKind =>
  (newsKinds as readonly string[]).includes(field)

export const dayFilterLabel = (field: DayFilter) =>
  isNews(field) ? newsLabels[field] : fieldLabels[field].label

/** Date fields that can be filtered by day. Time in stage has its own filter. */
export const dateFields = labelledTimeFields.filter((field) => !isDuration(field))

export const dayFilters: readonly DayFilter[] = [...newsKinds, ...dateFields]

/** Returns the selected choice for a date field: `any`, `is set`, `no date`, or the days of the query. */
export function dateChoiceOf(state: FilterState, field: DayFilter): string {
  const days = state[field]
  if (days !== null) return days
  if (isNews(field)) return 'any'
  if (state.has.includes(field)) return 'is set'
  return state.lacks.includes(field) ? 'no date' : 'any'
}

const windowLabels: Record<DayWindow, string> = {
  today: 'Today',
  yesterday: 'Yesterday',
  'last-2-days': 'Since yesterday',
  'this-week': 'This week',
  'since-friday': 'Since Friday',
  'last-7-days': 'Last 7 days',
  'last-30-days': 'Last 30 days',
}

/** Returns the name of a date range in lower case for use inside a sentence. */
export const windowText = (window: DayWindow) =>
  windowLabels[window][0]!.toLowerCase() + windowLabels[window].slice(1)

/** Date ranges in the order of the select. */
export const windowChoices = dayWindows.map((value) => ({ value, label: windowLabels[value] }))
