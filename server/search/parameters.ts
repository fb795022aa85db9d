import { type FlagField, flagFields, timeFields } from '../deals/columns.ts'
import { type DealField, dealFields, valueFields } from '../deals/deal.ts'
import { type FilterTerms, type MarkedField, markedFields } from '../deals/event-facts.ts'
import { nearestName } from '../values/nearest-name.ts'
import { stateForm } from '../values/states.ts'
import { toTime } from '../values/time.ts'
import { missableNumbers } from './filters.ts'

const textFields = ['stage', 'pipeline', 'state', ...valueFields] as const

/** Fields with a column of their own, which `has` and `lacks` can check. */
export type ColumnField =
  | (typeof textFields)[number]
  | (typeof timeFields)[number]
  | (typeof missableNumbers)[number]

const named: ReadonlySet<string> = new Set([...textFields, ...timeFields, ...missableNumbers])

/** Fields accepted by `has` and `lacks`, in the order of the API. */
export const columnFields = (Object.keys(dealFields) as DealField[]).filter((field): field is ColumnField =>
  named.has(field),
)

/** Returns true for text fields, which count as missing when empty. */
export const isText = (field: ColumnField) => (textFields as readonly string[]).includes(field)

export interface FlagValue {
  field: FlagField
  isTrue: boolean
}

/**
 * Value type by kind of parameter. In nested lists, a deal must match every item of at least one inner list.
 */
interface ValueOf {
  words: string
  texts: string[]
  after: string
  min: number
  max: number
  has: ColumnField[][]
  lacks: ColumnField[][]
  flags: FlagValue[][]
  view: string
}
type Kind = keyof ValueOf

interface Parameter<Of extends Kind = Kind> {
  kind: Of
  column?: string
  /** Reason why an event alone is not enough to decide the parameter. Absent if it is. */
  notInEvents?: string
  formOf?: (text: string) => string
  description: string
  example: string
}

const parameter = <const Of extends Kind>(kind: Of, rest: Omit<Parameter<Of>, 'kind'>): Parameter<Of> => ({
  kind,
  ...rest,
})

const alternatives = 'Several are alternatives.'
const together = 'Fields separated by commas must all match; repeated parameters are alternatives.'

/**
 * Search parameters that filter deals. A deal must match all parameters. The input, the API document, the
 * errors, and the filters of events derive from this table.
 */
export const parameters = {
  q: parameter('words', {
    description: 'Words that the deal contains, each from its beginning, as in the search of the portal.',
    example: 'garcia phoenix',
    notInEvents: 'it searches all words of a deal, which are not stored with an event',
  }),
  stage: parameter('texts', {
    column: 'stage',
    description: `The stage. ${alternatives}`,
    example: 'Permit Submitted',
  }),
  pipeline: parameter('texts', {
    column: 'pipeline',
    description: `The pipeline. ${alternatives}`,
    example: 'Residential Solar',
  }),
  state: parameter('texts', {
    column: 'state',
    formOf: stateForm,
    description: `The homeowner's state: \`AZ\` or \`Arizona\`. ${alternatives}`,
    example: 'AZ',
  }),
  modifiedAfter: parameter('after', {
    column: 'last_modified',
    description: 'Deals whose `lastModified` is later than this ISO 8601 time or day (UTC).',
    example: '2026-03-01T17:20:05.000Z',
    notInEvents: 'every event modifies its deal; ask for the events `after` a sequence instead',
  }),
  createdAfter: parameter('after', {
    column: 'create_date',
    description: 'Deals whose `createDate` is later than this ISO 8601 time or day (UTC).',
    example: '2026-01-01',
  }),
  amountMin: parameter('min', {
    column: 'amount',
    description: 'Deals with at least this `amount`.',
    example: '20000',
  }),
  amountMax: parameter('max', {
    column: 'amount',
    description: 'Deals with at most this `amount`.',
    example: '50000',
  }),
  has: parameter('has', {
    description: `Fields that are set. ${together}`,
    example: 'permitSubmitted',
  }),
  lacks: parameter('lacks', {
    description: `Fields that are null or empty. ${together}`,
    example: 'permitReceived',
  }),
  flag: parameter('flags', {
    description:
      `Flags that are true, or false with \`:false\`: \`hasBattery\`, \`m2Approved:false\`. ` +
      `A flag that no source gave is false. ${together.replace('Fields', 'Flags')}`,
    example: 'hasBattery',
  }),
  view: parameter('view', {
    description:
      'The id or the name of a view that your team shares in the portal; its filter applies, ' +
      'its columns and order do not. Its days are those of your team’s time zone.',
    example: 'Waiting for permit',
    notInEvents: 'a view can change, and may depend on the day',
  }),
} as const satisfies Record<string, Parameter>

export type ParameterName = keyof typeof parameters
export const parameterNames = Object.keys(parameters) as ParameterName[]

/** A filter of deals, by search parameter. */
export type ParameterValues = {
  -readonly [Name in ParameterName]?: ValueOf[(typeof parameters)[Name]['kind']] | undefined
}

export type ReadValue<Of> = { value: Of } | { problem: string }

const textMax = 200
const valuesMax = 200

/** Parses the values of a query parameter. */
export function readParameter<Name extends ParameterName>(
  name: Name,
  texts: readonly string[],
): ReadValue<NonNullable<ParameterValues[Name]>> {
  const { kind, formOf = String } = parameters[name] as Parameter
  const problem = problemOf(name, kind, texts)
  const read = problem === undefined ? reads[kind](texts, formOf) : { problem }
  return read as ReadValue<NonNullable<ParameterValues[Name]>>
}

/** Returns true if a parameter of this kind can be repeated. */
export const isRepeatable = (kind: Kind) => ['texts', 'has', 'lacks', 'flags'].includes(kind)

function problemOf(name: ParameterName, kind: Kind, texts: readonly string[]): string | undefined {
  if (texts.some((text) => typeof text !== 'string')) return 'must be text'
  if (texts.length > 1 && !isRepeatable(kind)) return 'must be given once'
  if (texts.length > valuesMax) return `must have at most ${valuesMax} values`
  if (texts.some((text) => text.trim() === ''))
    return kind === 'texts' ? `must not be empty; lacks=${name} finds deals without one` : 'must not be empty'
  if (texts.some((text) => text.length > (kind === 'has' || kind === 'lacks' ? 1000 : textMax)))
    return `must be at most ${textMax} characters long`
  return texts.some((text) => text.includes('\0') || !text.isWellFormed())
    ? 'must not contain NUL or broken surrogates'
    : undefined
}

const reads: {
  [Of in Kind]: (texts: readonly string[], formOf: (text: string) => string) => ReadValue<ValueOf[Of]>
} = {
  words: ([text]) => ({ value: text! }),
  texts: (texts, formOf) => ({ value: [...new Set(texts.map(formOf))] }),
  after: ([text]) => readTime(text!),
  min: ([text]) => readNumber(text!),
  max: ([text]) => readNumber(text!),
  has: readFields,
  lacks: readFields,
  flags: (texts) => readAlternatives(texts, readFlag),
  view: ([text]) => ({ value: text! }),
}

const day = /^\d{4}-\d\d-\d\d$/

/** Parses a time. An unencoded `+` arrives as a space. */
function readTime(text: string): ReadValue<string> {
  if (/^[\d-]+T[\d:.]+ \d\d:?\d\d$/.test(text))
    return { problem: 'has a space instead of a +; encode the + as %2B' }
  const time = toTime(day.test(text) ? `${text}T00:00:00.000Z` : text)
  // PostgreSQL has no year 0.
  return time === null || time < '0001'
    ? { problem: 'must be an ISO 8601 time with a time zone, such as 2026-03-01T17:20:05Z, or a day' }
    : { value: time }
}

function readNumber(text: string): ReadValue<number> {
  return /^-?\d{1,12}(?:\.\d{1,6})?$/.test(text)
    ? // JSON has no -0.
      { value: Number(text) || 0 }
    : { problem: 'must be a number in plain decimal digits, such as 25000 or 19999.50' }
}

/** Parses the comma-separated parts of each text. */
function readAlternatives<Part>(
  texts: readonly string[],
  read: (text: string) => ReadValue<Part>,
): ReadValue<Part[][]> {
  const value: Part[][] = []
  for (const text of texts) {
    const parts: Part[] = []
    for (const part of text.split(',')) {
      const result = read(part.trim())
      if ('problem' in result) return result
      parts.push(result.value)
    }
    value.push(parts)
  }
  return { value }
}

function readFields(texts: readonly string[]): ReadValue<ColumnField[][]> {
  return readAlternatives(texts, (text) => readName(text, columnFields))
}

function readFlag(text: string): ReadValue<FlagValue> {
  const [, name = text, value = 'true'] = /^(\w+):(.*)$/.exec(text) ?? []
  if (value !== 'true' && value !== 'false') return { problem: `must end in :true or :false: ${text}` }
  const field = readName(name, flagFields)
  return 'problem' in field ? field : { value: { field: field.value, isTrue: value === 'true' } }
}

/** Returns the name if it is known, or else a problem that suggests the most similar name. */
export function readName<const Name extends string>(text: string, names: readonly Name[]): ReadValue<Name> {
  const value = names.find((name) => name === text)
  if (value !== undefined) return { value }
  return Object.hasOwn(dealFields, text)
    ? { problem: `${text} cannot be searched; it must be one of ${names.join(', ')}` }
    : { problem: `there is no ${text}; did you mean ${nearestName(text, names)}?` }
}

/**
 * Parses a filter in query-string form, such as `stage=Sold&amountMin=20000`. Returns the values and a list
 * of problems.
 */
export function readFilter(search: string): { values: ParameterValues; problems: string[] } {
  const params = new URLSearchParams(search)
  const values: Record<string, unknown> = {}
  const problems: string[] = []
  for (const name of new Set(params.keys())) {
    const known = parameterNames.find((each) => each === name)
    const read: ReadValue<unknown> =
      known === undefined
        ? { problem: unknownParameter(name, parameterNames) }
        : readParameter(known, params.getAll(known))
    if ('problem' in read) problems.push(`${name}: ${read.problem}`)
    else values[name] = read.value
  }
  return { values: values as ParameterValues, problems }
}

/** Parameter names that are common in other APIs, and their names in this one. */
const usualNames: Readonly<Record<string, string>> = {
  page: 'cursor',
  offset: 'cursor',
  starting_after: 'cursor',
  size: 'limit',
  per_page: 'limit',
  search: 'q',
  query: 'q',
  order: 'sort',
}

/** Returns the problem text for an unknown parameter, with the most similar known parameter. */
export function unknownParameter(name: string, names: readonly string[]): string {
  const usual = Object.hasOwn(usualNames, name) ? usualNames[name]! : name
  return `unknown parameter; did you mean ${nearestName(usual, names)}?`
}

/** Parameters of the REST search that the portal's list does not have. */
export type ColumnParameters = Pick<
  ParameterValues,
  'modifiedAfter' | 'createdAfter' | 'has' | 'lacks' | 'flag'
>

/** A client's filter for events: a query string such as `stage=Sold&amountMin=20000`, or an object. */
export type EventFilter = string | Readonly<Record<string, FilterValue | FilterValue[]>>
type FilterValue = string | number | boolean

/** Parses a filter of events. If the filter has no conditions, `terms` is null. */
export function readEventFilter(filter: EventFilter): { terms: FilterTerms | null; problems: string[] } {
  const { values, problems } = readFilter(queryOf(filter))
  const undecided = (Object.keys(values) as ParameterName[]).flatMap((name) => {
    const parameter: { notInEvents?: string } = parameters[name]
    return parameter.notInEvents === undefined
      ? []
      : [`${name}: an event alone cannot decide it: ${parameter.notInEvents}`]
  })
  const terms = termsOf(values)
  return { terms: Object.keys(terms).length === 0 ? null : terms, problems: [...problems, ...undecided] }
}

function queryOf(filter: EventFilter): string {
  // Users may paste the whole URL of a search.
  if (typeof filter === 'string') return filter.slice(filter.indexOf('?') + 1)
  const pairs = Object.entries(filter).flatMap(([name, value]) =>
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
