import type { TRPCClientErrorLike } from '@trpc/client'
import { failureMessage } from '#app/ui/failure-message.ts'
import type { Api } from '#server/api.ts'
import type { FlagField } from '#server/deals/columns.ts'
import type { DealField } from '#server/deals/deal.ts'
import type { Range } from '#server/search/filters.ts'
import { labelledFlagFields } from '../../deals/fields.ts'

/** The filter of events as shown in the form. */
export interface FilterChoice {
  stage: string[]
  pipeline: string[]
  state: string[]
  amount: Range | null
  yes: FlagField[]
  no: FlagField[]
  /** Fields of which at least one must change; empty for any change. */
  changed: DealField[]
  /** Remaining conditions as a query string. */
  more: string
}

const lists = ['stage', 'pipeline', 'state'] as const

/** Converts a filter (a query string or an object) and the changed fields to form values. */
export function filterChoiceOf(filter: unknown, changed: string[] | null = null): FilterChoice {
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
  // The form has no control for alternatives of flags.
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
    changed: (changed ?? []) as DealField[],
    more: String(params),
  }
}

const rangeEnd = (end: keyof Range, [text]: string[]): Range =>
  text === undefined ? {} : { [end]: Number(text) }

const pairsOf = (filter: unknown): [string, string][] =>
  Object.entries((filter ?? {}) as Record<string, unknown>).flatMap(([name, value]) =>
    [value].flat().map((each): [string, string] => [name, String(each)]),
  )

/** Converts form values to the filter and changed fields that the API expects. */
export const filterOfChoice = (choice: FilterChoice) => ({
  filter: queryOfChoice(choice) || null,
  changed: choice.changed.length === 0 ? null : choice.changed,
})

/** Converts form values to a query string; empty if there are no conditions. */
function queryOfChoice({ amount, yes, no, more, ...choice }: FilterChoice): string {
  const params = new URLSearchParams(more.trim())
  for (const name of lists) for (const value of choice[name]) params.append(name, value)
  if (amount?.min !== undefined) params.append('amountMin', String(amount.min))
  if (amount?.max !== undefined) params.append('amountMax', String(amount.max))
  const flags = [...yes, ...no.map((field) => `${field}:false`)]
  if (flags.length > 0) params.append('flag', flags.join(','))
  return String(params)
}

/** Returns a filter as readable text. */
export const filterText = (filter: unknown) =>
  decodeURIComponent(queryOfChoice(filterChoiceOf(filter)).replaceAll('+', ' '))

/** Problems of a form by field, as sentences. `form` applies to the form as a whole. */
interface FormProblems {
  url?: string
  filter?: string
  dealId?: string
  form: string | null
}

/** Returns the problems of a rejected request by field. */
export const refusalProblems = (error: TRPCClientErrorLike<Api> | null) =>
  formProblems(error === null ? [] : (error.data?.errors ?? [failureMessage(error)]))

/** Parses lines such as `url: must be …` into problems by field. */
export function formProblems(lines: readonly string[]): FormProblems {
  const problems: FormProblems = { form: null }
  for (const line of lines) {
    const [, field, reason] = /^(url|dealId|filter)(?:: |\.)(.+)$/s.exec(line) ?? []
    const name = (field ?? 'form') as keyof FormProblems
    problems[name] = [problems[name] ?? [], sentenceOf(name, reason ?? line)].flat().join(' ')
  }
  return problems
}

function sentenceOf(field: keyof FormProblems, reason: string): string {
  const subject = { url: 'The URL ', dealId: 'The deal ID ', filter: '', form: '' }[field]
  return `${/^[a-z]/.test(reason) ? subject : ''}${reason}${reason.endsWith('.') || reason.endsWith('?') ? '' : '.'}`
}
