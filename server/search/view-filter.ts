import { valueFields } from '../deals/value-field.ts'
import { parseDateChoice, parseDays } from '../values/day-choice.ts'
import { parseArea, parseNames, parseRange, parseWaits } from './filter-text.ts'
import { type Filter, type FilterInput, filters, isEmpty, keyOfMark, markNames } from './filters.ts'
import type { RelativeDays } from './relative-days.ts'
import { DealFilter, namesOf } from './wire.ts'

/** The filter of a saved view, with its relative days apart. */
export interface ViewFilter {
  filter: FilterInput
  relativeDays: RelativeDays
}

/**
 * Returns the filter of a saved view's query, as the deals page reads it; null if the procedures would reject
 * it. The order and the columns of the view are not part of it.
 */
export function readViewFilter(query: string): ViewFilter | null {
  const params = new URLSearchParams(query)
  const given: Record<string, unknown> = {}
  const relativeDays: Record<string, Record<string, string>> = {}
  for (const [name, filter] of Object.entries<Filter>(filters)) {
    if (filter.kind === 'days') readDays(params, filter, given, relativeDays)
    else
      for (const [key, value] of valuesOf(params, name, filter))
        // If a flag is requested with both values, the first counts.
        if (!isEmpty(value)) given[key] = key === 'flags' ? Object.assign({}, value, given[key]) : value
  }
  const parsed = DealFilter.safeParse(given)
  return parsed.success ? { filter: parsed.data, relativeDays } : null
}

const distinct = (texts: string[]) => [...new Set(texts)]

/** Returns the parts of a filter in the input, by their keys. */
function valuesOf(
  params: URLSearchParams,
  name: string,
  filter: Exclude<Filter, { kind: 'days' }>,
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

/** Reads the days of each name: fixed ones into the input, those that depend on today into `relativeDays`. */
function readDays(
  params: URLSearchParams,
  { key, names }: Extract<Filter, { kind: 'days' }>,
  given: Record<string, unknown>,
  relativeDays: Record<string, Record<string, string>>,
): void {
  for (const param of namesOf(names)) {
    const text = params.get(param) ?? ''
    const kind = parseDateChoice(text)?.kind
    // The days of a range are the same on any day.
    if (kind === 'range') given[key] = { ...(given[key] as object), [param]: parseDays(text, '2000-01-01') }
    else if (kind !== undefined) relativeDays[key] = { ...relativeDays[key], [param]: text }
  }
}
