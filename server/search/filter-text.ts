import type { TimeField } from '../deals/columns.ts'
import { valueFields } from '../deals/deal.ts'
import { type StepNow, stepsNow } from '../deals/flow.ts'
import { parseDays, parseDateChoice } from '../values/day-choice.ts'
import type { Area } from '../values/point.ts'
import {
  type FilterInput,
  type NewsKind,
  type Filter,
  type NamesOf,
  type Range,
  filters,
  isEmpty,
  keyOfMark,
  markNames,
} from './filters.ts'

// Parsers for the filters in the query string of the deals page, which saved views store.

/** Returns the known names in a comma-separated text, without duplicates. */
export const parseNames = <const Name extends string>(text: string, names: readonly Name[]): Name[] =>
  [...new Set(text.split(','))].filter((name): name is Name => (names as readonly string[]).includes(name))

/** Parses the coordinates of an area, `west,south,east,north`, rounded to about ten meters. */
export function parseArea(text: string): Area | null {
  const numbers = text.split(',')
  if (numbers.length !== 4 || !numbers.every((each) => /^-?\d{1,3}(?:\.\d{1,9})?$/.test(each))) return null
  const [west, south, east, north] = numbers.map((each) => Number(each) || 0) as [
    number,
    number,
    number,
    number,
  ]
  const isOnGlobe = west >= -180 && south >= -90 && east <= 180 && north <= 90
  return isOnGlobe && west <= east && south <= north ? { west, south, east, north } : null
}

/** Parses a range of numbers: `5..`, `..8.5`, or `5..8.5`. */
export function parseRange(text: string): Range | null {
  const [, min, max] = /^(-?\d{0,12}(?:\.\d{1,6})?)\.\.(-?\d{0,12}(?:\.\d{1,6})?)$/.exec(text) ?? []
  const range: Range = { ...numberAt('min', min), ...numberAt('max', max) }
  return Object.keys(range).length === 0 ? null : range
}

// JSON has no -0.
const numberAt = (end: 'min' | 'max', text: string | undefined): Range =>
  text === undefined || !/\d/.test(text) ? {} : { [end]: Number(text) || 0 }

/** Parses the minimum number of days in each step: `permit:24,install:41`. */
export function parseWaits(text: string): Partial<Record<StepNow, number>> | null {
  const waits = text.split(',').flatMap((part) => {
    const [, step, days] = /^(\w+):(\d{1,5})$/.exec(part) ?? []
    return stepsNow.some((each) => each === step) ? [[step, Number(days)]] : []
  })
  return waits.length === 0 ? null : (Object.fromEntries(waits) as Partial<Record<StepNow, number>>)
}

/**
 * Parses the filters in the query string of the deals page. Fixed days go into the input; days that depend on
 * today are returned separately. `namesOf` returns the names that a filter accepts.
 */
export function parseFilter(params: URLSearchParams, namesOf: NamesOf) {
  const values: Record<string, unknown> = {}
  const relativeDays: Record<string, Record<string, string>> = {}
  for (const [name, filter] of Object.entries<Filter>(filters)) {
    if (filter.kind === 'days') readDays(params, filter, values, relativeDays, namesOf)
    else
      for (const [key, value] of valuesOf(params, name, filter, namesOf))
        // If a flag is requested with both values, the first value counts.
        if (!isEmpty(value)) values[key] = key === 'flags' ? Object.assign({}, value, values[key]) : value
  }
  return { filter: values, relativeDays: relativeDays as RelativeDays }
}

const valuesMax = 200

const distinct = (texts: string[]) => [...new Set(texts)].slice(0, valuesMax)

function valuesOf(
  params: URLSearchParams,
  name: string,
  filter: Exclude<Filter, { kind: 'days' }>,
  namesOf: NamesOf,
): [key: string, value: unknown][] {
  const text = params.get(name) ?? ''
  switch (filter.kind) {
    case 'search':
      return [[filter.key, text.trim()]]
    case 'texts':
      return [[filter.key, distinct(params.getAll(name))]]
    case 'names':
      if (filter.narrows !== undefined && !params.has(filter.narrows)) return []
      return [[filter.key, parseNames(text, namesOf(filter.names)).slice(0, filter.max)]]
    case 'flags': {
      const fields = parseNames(text, namesOf('flag'))
      return [['flags', Object.fromEntries(fields.map((field) => [field, filter.wanted]))]]
    }
    case 'marks':
      return parseNames(text, markNames).map((mark) => [keyOfMark(mark), true])
    case 'waits':
      return [[filter.key, parseWaits(text)]]
    case 'range':
      return [[filter.key, parseRange(text)]]
    case 'area':
      return [[filter.key, parseArea(text)]]
    case 'values': {
      const named = valueFields.filter((field) => params.has(field))
      return [['values', Object.fromEntries(named.map((field) => [field, distinct(params.getAll(field))]))]]
    }
  }
}

/**
 * Parses the days for each name. Fixed days go into the input, days that depend on today into `relativeDays`.
 */
function readDays(
  params: URLSearchParams,
  { key, names }: Extract<Filter, { kind: 'days' }>,
  values: Record<string, unknown>,
  relativeDays: Record<string, Record<string, string>>,
  namesOf: NamesOf,
): void {
  for (const param of namesOf(names)) {
    const text = params.get(param) ?? ''
    const kind = parseDateChoice(text)?.kind
    // A range of days does not depend on today.
    if (kind === 'range') values[key] = { ...(values[key] as object), [param]: parseDays(text, '2000-01-01') }
    else if (kind !== undefined) relativeDays[key] = { ...relativeDays[key], [param]: text }
  }
}

/** The parts of a filter that are relative to today: `{ dates: { permitSubmitted: 'last-7-days' } }`. */
export interface RelativeDays {
  dates?: Partial<Record<TimeField, string>> | undefined
  news?: Partial<Record<NewsKind, string>> | undefined
}

/** Returns the filter with relative days resolved for `today`. */
export function filterOn<Filter extends FilterInput>(
  filter: Filter,
  relativeDays: RelativeDays,
  today: string,
): Filter {
  const daysOf = (texts: Partial<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries(texts).flatMap(([name, text]) => {
        const days = parseDays(text!, today)
        return days === null ? [] : [[name, days]]
      }),
    )
  const { dates, news } = relativeDays
  return {
    ...filter,
    ...(dates !== undefined && { dates: { ...filter.dates, ...daysOf(dates) } }),
    ...(news !== undefined && { news: { ...filter.news, ...daysOf(news) } }),
  }
}

/** Returns the keys of a filter whose matches can change from day to day. */
export function keysByDay({ inStep, ...filter }: FilterInput, { dates, news }: RelativeDays) {
  const keys: (keyof FilterInput)[] = []
  if (filter.isLate !== undefined) keys.push('isLate')
  if (filter.lateWith !== undefined) keys.push('lateWith')
  if (Object.values(inStep ?? {}).some((days) => days > 0)) keys.push('inStep')
  if (dates !== undefined) keys.push('dates')
  if (news !== undefined) keys.push('news')
  return keys
}
