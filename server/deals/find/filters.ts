import type { StepNow } from '../milestones/flow.ts'
import { courseLabels, gateLabels, holdLabels, reachLabels, stepLabels } from '../milestones/labels.ts'
import type { FlagField, RoleField, TimeField } from './columns.ts'
import { newsLabels } from './news.ts'
import type { DayRange } from './step-store.ts'
import type { ValueField } from './value-field.ts'

/** Fields by kind: a server has their types, a browser their labels. */
interface FieldsOf {
  time: TimeField
  flag: FlagField
  role: RoleField
}

/** The SQL condition: that of a column of `deals`, or without one that of `conditions` in `condition-store.ts`. */
interface ByColumn {
  column?: string
}

/** Words, each a prefix of a word of the deal. */
interface SearchFilter {
  kind: 'search'
  key: string
}

/** Any of these texts; an empty one matches unknown. */
interface TextsFilter extends ByColumn {
  kind: 'texts'
  key: string
  label: string
}

/** Names of a list, or of the fields of a kind. */
interface NamesFilter extends ByColumn {
  kind: 'names'
  key: string
  names: Readonly<Record<string, string>> | keyof FieldsOf
  /** The label of the chip; without it that of the name, of which the chip says `value`. */
  label?: string
  value?: string
  /** Whether one chip shows all names. */
  isJoined?: true
  /** The most names; as many as there are without it. */
  max?: number
  /** The parameter that it narrows, and without which it means nothing. */
  narrows?: string
  /** The label of its select among "More filters". */
  select?: string
}

/** Yes-or-no fields that have this value. */
interface FlagsFilter {
  kind: 'flags'
  key: 'flags'
  wanted: boolean
  value: string
}

/** Conditions that hold or are not asked for, each with a key of its own (`open` is `isOpen`). */
interface MarksFilter {
  kind: 'marks'
  label: string
  /** What the chip says, and the button among "More filters". */
  marks: Readonly<Record<string, MarkLabels>>
}

interface MarkLabels {
  value: string
  button?: string
}

/** The fewest days in each step: `permit:24,install:0`. */
interface WaitsFilter {
  kind: 'waits'
  key: string
  label: string
}

interface RangeFilter extends Required<ByColumn> {
  kind: 'range'
  key: string
  label: string
  /** Its label among "More filters". */
  title: string
  unit: '$' | 'kW'
}

/** A box of coordinates, in degrees. */
interface AreaFilter {
  kind: 'area'
  key: string
  label: string
}

/** The days of each time, or of what happened; each name is a parameter. */
interface DaysFilter {
  kind: 'days'
  key: string
  names: Readonly<Record<string, string>> | 'time'
}

/** Any of these texts of each field of `valueFields`, which is a parameter. */
interface ValuesFilter {
  kind: 'values'
  key: 'values'
}

export type Filter =
  | SearchFilter
  | TextsFilter
  | NamesFilter
  | FlagsFilter
  | MarksFilter
  | WaitsFilter
  | RangeFilter
  | AreaFilter
  | DaysFilter
  | ValuesFilter

const { paid: _paid, ...openGateLabels } = gateLabels
const { onHold: _onHold, ...fieldHoldLabels } = holdLabels

/**
 * The filters of deals by their parameter in the URL: input, SQL, chips and controls come from here. All must hold. The order
 * is that of the URL, in which saved views are compared: a new filter comes last.
 */
export const filters = {
  q: { kind: 'search', key: 'search' },
  stage: { kind: 'texts', key: 'stages', label: 'Stage', column: 'stage' },
  pipeline: { kind: 'texts', key: 'pipelines', label: 'Pipeline', column: 'pipeline' },
  state: { kind: 'texts', key: 'states', label: 'State', column: 'state' },
  // Counties (`Maricopa, AZ`) and states (`Arizona`) in which deals lie by their coordinates.
  place: { kind: 'texts', key: 'places', label: 'Place' },
  area: { kind: 'area', key: 'area', label: 'Area' },
  person: { kind: 'texts', key: 'people', label: 'People' },
  role: { kind: 'names', key: 'roles', names: 'role', narrows: 'person' },
  of: { kind: 'texts', key: 'partners', label: 'Partner' },
  yes: { kind: 'flags', key: 'flags', wanted: true, value: 'yes' },
  no: { kind: 'flags', key: 'flags', wanted: false, value: 'no' },
  has: { kind: 'names', key: 'present', names: 'time', value: 'is set' },
  lacks: { kind: 'names', key: 'missing', names: 'time', value: 'no date' },
  done: { kind: 'names', key: 'done', names: courseLabels, value: 'done' },
  // Steps that the deal is known to need still.
  todo: { kind: 'names', key: 'todo', names: courseLabels, value: 'to do', select: 'Step to do' },
  // The step whose planned day came first.
  late: { kind: 'names', key: 'lateWith', names: courseLabels, value: 'late', max: 1 },
  gate: {
    kind: 'names',
    key: 'gates',
    names: openGateLabels,
    label: 'Money',
    select: 'Money',
    column: 'gate',
  },
  hold: {
    kind: 'names',
    key: 'holds',
    names: fieldHoldLabels,
    label: 'Waiting on',
    select: 'Waiting on',
    column: 'hold',
  },
  wait: { kind: 'waits', key: 'inStep', label: 'In step' },
  // Steps of which it is known how many days they took.
  took: { kind: 'names', key: 'took', names: stepLabels, label: 'Took', isJoined: true },
  reached: {
    kind: 'names',
    key: 'reached',
    names: reachLabels,
    label: 'Reached',
    isJoined: true,
    column: 'reached',
  },
  is: {
    kind: 'marks',
    label: 'Deals',
    marks: {
      open: { value: 'open', button: 'Open' },
      late: { value: 'late', button: 'Late' },
      lost: { value: 'lost', button: 'Lost' },
      mine: { value: 'mine', button: 'Mine' },
      undated: { value: 'without enough dates' },
    },
  },
  dates: { kind: 'days', key: 'dates', names: 'time' },
  values: { kind: 'values', key: 'values' },
  amount: { kind: 'range', key: 'amount', label: 'Amount', title: 'Amount', unit: '$', column: 'amount' },
  size: {
    kind: 'range',
    key: 'size',
    label: 'System',
    title: 'System size',
    unit: 'kW',
    column: 'system_size',
  },
  news: { kind: 'days', key: 'news', names: newsLabels },
} as const satisfies Record<string, Filter>

type Filters = typeof filters
export type FilterName = keyof Filters

/** The filters that are a parameter themselves. */
export type FilterParam = {
  [Name in FilterName]: Filters[Name]['kind'] extends 'days' | 'values' ? never : Name
}[FilterName]

export type Mark = keyof Filters['is']['marks']

/** A range; either end may be open. */
export interface Range {
  min?: number | undefined
  max?: number | undefined
}

/** A box of coordinates, in degrees. */
export interface Area {
  west: number
  south: number
  east: number
  north: number
}

type NamesOf<Names> = Names extends keyof FieldsOf ? FieldsOf[Names] : keyof Names & string

interface Values {
  search: string
  texts: string[]
  flags: Partial<Record<FlagField, boolean>>
  waits: Partial<Record<StepNow, number>>
  range: Range
  area: Area
  values: Partial<Record<ValueField, string[]>>
}

/** The value of a filter in the input. */
export type ValueOf<Each extends Filter> = Each extends { kind: keyof Values }
  ? Values[Each['kind']]
  : Each extends { kind: 'names'; names: infer Names }
    ? NamesOf<Names>[]
    : Each extends { kind: 'days'; names: infer Names }
      ? Partial<Record<NamesOf<Names>, DayRange>>
      : never

type Keyed = Extract<Filters[FilterName], { key: string }>

/** What clients ask for, by the keys of `filters`. */
export type GivenFilter = {
  -readonly [Each in Keyed as Each['key']]?: ValueOf<Each> | undefined
} & { [Each in Mark as KeyOfMark<Each>]?: true | undefined }

type KeyOfMark<Name extends Mark> = `is${Capitalize<Name>}`

/** Returns the key of a mark in the filter. */
export const keyOfMark = <Name extends Mark>(mark: Name) =>
  `is${mark[0]!.toUpperCase()}${mark.slice(1)}` as KeyOfMark<Name>

export const marks: Readonly<Record<Mark, MarkLabels>> = filters.is.marks

export const markNames = Object.keys(marks) as Mark[]

/** Returns whether a filter leaves everything: nothing is asked for. */
export const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (typeof value === 'object' && Object.keys(value).length === 0) ||
  (typeof value === 'string' && value.trim() === '')
