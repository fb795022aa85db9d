import { type FilterTerms, type MarkedField, markedFields } from '../deals/event-facts.ts'
import { type ParameterName, type ParameterValues, parameters, readFilter } from './parameters.ts'

/** A client's filter for events: a query string such as `stage=Sold&amountMin=20000`, or an object. */
export type EventFilter = string | Readonly<Record<string, FilterValue | FilterValue[]>>
type FilterValue = string | number | boolean

/** Parses a filter of events. If the filter has no conditions, `terms` is null. */
export function readEventFilter(given: EventFilter): { terms: FilterTerms | null; problems: string[] } {
  const { values, problems } = readFilter(queryOf(given))
  const undecided = (Object.keys(values) as ParameterName[]).flatMap((name) => {
    const parameter: { notInEvents?: string } = parameters[name]
    return parameter.notInEvents === undefined
      ? []
      : [`${name}: an event alone cannot decide it: ${parameter.notInEvents}`]
  })
  const terms = termsOf(values)
  return { terms: Object.keys(terms).length === 0 ? null : terms, problems: [...problems, ...undecided] }
}

function queryOf(given: EventFilter): string {
  // Users may paste the whole URL of a search.
  if (typeof given === 'string') return given.slice(given.indexOf('?') + 1)
  const pairs = Object.entries(given).flatMap(([name, value]) =>
    [value].flat().map((each) => [name, String(each)]),
  )
  return String(new URLSearchParams(pairs))
}

function termsOf(values: ParameterValues): FilterTerms {
  const { stage, pipeline, state, amountMin, amountMax, createdAfter, has, lacks, flag } = values
  return {
    ...(stage && { stages: stage.toSorted() }),
    ...(pipeline && { pipelines: pipeline.toSorted() }),
    ...(state && { states: state.toSorted() }),
    ...(amountMin !== undefined && { amount_min: amountMin }),
    ...(amountMax !== undefined && { amount_max: amountMax }),
    ...(createdAfter !== undefined && { created_after: createdAfter }),
    ...(has && { has: has.map((fields) => patternOf(fields.map((field) => [field, true]))).toSorted() }),
    ...(lacks && {
      lacks: lacks.map((fields) => patternOf(fields.map((field) => [field, false]))).toSorted(),
    }),
    ...(flag && {
      flags: flag.map((flags) => patternOf(flags.map(({ field, isTrue }) => [field, isTrue]))).toSorted(),
    }),
  }
}

/**
 * Returns a pattern that matches marks with these values, or a pattern that matches nothing if a field is
 * required to have both values.
 */
function patternOf(wanted: readonly [MarkedField, boolean][]): string {
  const characters: string[] = markedFields.map(() => '_')
  for (const [field, isMarked] of wanted) {
    const at = markedFields.indexOf(field)
    const mark = isMarked ? '1' : '0'
    characters[at] = characters[at] === '_' || characters[at] === mark ? mark : '-'
  }
  const length = characters.findLastIndex((character) => character !== '_') + 1
  return `${characters.slice(0, length).join('')}%`
}
