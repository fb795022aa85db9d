import type { FlagField } from '#server/deals/columns.ts'
import type { Range } from '#server/search/filters.ts'
import { labelledFlagFields } from '../../deals/field-labels.ts'

/** The filter of a subscription as its form shows it. */
export interface FilterChoice {
  stage: string[]
  pipeline: string[]
  state: string[]
  amount: Range | null
  yes: FlagField[]
  no: FlagField[]
  /** The other conditions, as a query. */
  more: string
}

const lists = ['stage', 'pipeline', 'state'] as const

/** Returns the choices of a filter, which is a query or an object. */
export function filterChoiceOf(filter: unknown): FilterChoice {
  const params = new URLSearchParams(
    typeof filter === 'string' ? filter.slice(filter.indexOf('?') + 1) : pairsOf(filter),
  )
  const take = (name: string) => {
    const values = params.getAll(name)
    params.delete(name)
    return values
  }
  const [stage, pipeline, state] = lists.map(take) as [string[], string[], string[]]
  const amount = { ...rangeEnd('min', take('amountMin')), ...rangeEnd('max', take('amountMax')) }
  // Alternatives have no control of their own.
  const flags =
    params.getAll('flag').length === 1
      ? take('flag')[0]!
          .split(',')
          .map((flag) => flag.trim())
      : []
  return {
    stage,
    pipeline,
    state,
    amount: Object.keys(amount).length === 0 ? null : amount,
    yes: labelledFlagFields.filter((field) => flags.includes(field) || flags.includes(`${field}:true`)),
    no: labelledFlagFields.filter((field) => flags.includes(`${field}:false`)),
    more: String(params),
  }
}

const rangeEnd = (end: keyof Range, [text]: string[]): Range =>
  text === undefined ? {} : { [end]: Number(text) }

const pairsOf = (filter: unknown): [string, string][] =>
  Object.entries((filter ?? {}) as Record<string, unknown>).flatMap(([name, value]) =>
    [value].flat().map((each): [string, string] => [name, String(each)]),
  )

/** Returns a filter as a query; empty without conditions. */
export function queryOfChoice({ amount, yes, no, more, ...choice }: FilterChoice): string {
  const params = new URLSearchParams(more.trim())
  for (const name of lists) for (const value of choice[name]) params.append(name, value)
  if (amount?.min !== undefined) params.append('amountMin', String(amount.min))
  if (amount?.max !== undefined) params.append('amountMax', String(amount.max))
  const flags = [...yes, ...no.map((field) => `${field}:false`)]
  if (flags.length > 0) params.append('flag', flags.join(','))
  return String(params)
}

/** Returns a filter as people read it. */
export const filterText = (filter: unknown) =>
  decodeURIComponent(queryOfChoice(filterChoiceOf(filter)).replaceAll('+', ' '))
