import type { FlagField, RoleField, TimeField } from '../deals/columns.ts'
import type { ValueField } from '../deals/deal.ts'
import type { StepNow } from '../deals/flow.ts'
import { sequentialLabels, gateLabels, blockerLabels, reachLabels, stepLabels } from '../deals/labels.ts'
import type { Area } from '../values/point.ts'
import type { DayRange } from './step-store.ts'

/**
 * Kinds of updates to a deal, based on its partner's events: the deal became visible, a visible field
 * changed, or the stage changed.
 */
export const newsKinds = ['new', 'updated', 'moved'] as const
export type NewsKind = (typeof newsKinds)[number]

export const newsLabels: Readonly<Record<NewsKind, string>> = {
  new: 'New',
  updated: 'Updated',
  moved: 'Changed stage',
}

/** Field kinds used by filters. The server maps them to types, the browser to labels. */
interface FieldsOf {
  time: TimeField
  flag: FlagField
  role: RoleField
  missable: MissableField
}

/** Numbers that reports sum or divide by. Reports exclude deals without these numbers. */
export const missableNumbers = ['amount', 'systemSize', 'totalPpw'] as const

/** Fields that can be filtered by absence, because reports exclude deals without them. */
type MissableField = TimeField | (typeof missableNumbers)[number]

/** Labels by name, or the kind of field whose names are accepted. */
type Names = Readonly<Record<string, string>> | keyof FieldsOf

export type NamesOf = (names: Names) => readonly string[]

interface MarkLabels {
  /** Text of the chip. */
  value: string
  /** Label of the button under "More filters". */
  button?: string
}

/**
 * A filter, by kind. `key` is its key in the input, and `column` the column of `deals` that decides it. See
 * `condition-store.ts`.
 */
export type Filter =
  // Words, each of which must be the prefix of a word in the deal.
  | { kind: 'search'; key: string }
  // Any of these strings. An empty string matches unknown values.
  | {
      kind: 'texts'
      key: string
      label: string
      column?: string
      /** Labels for values that do not appear as text in a deal. */
      values?: Readonly<Record<string, string>>
    }
  // Any of these names.
  | {
      kind: 'names'
      key: string
      names: Names
      /**
       * Label of the chip, which contains the name. If there is no label, the chip shows the label of the
       * name and `value`.
       */
      label?: string
      value?: string
      /** True if a single chip shows all names. */
      isJoined?: true
      max?: number
      /** The parameter that this filter narrows. The filter has no effect unless that parameter is set. */
      narrows?: string
      /** Label of the select under "More filters". */
      select?: string
      column?: string
    }
  // Yes-or-no fields with this value.
  | { kind: 'flags'; key: 'flags'; wanted: boolean; value: string }
  // Flags that are either set or absent, each with its own input key: `open` has the key `isOpen`.
  | { kind: 'marks'; label: string; marks: Readonly<Record<string, MarkLabels>> }
  // Minimum number of days in each step: `permit:24,install:0`.
  | { kind: 'waits'; key: string; label: string }
  | { kind: 'range'; key: string; label: string; title: string; unit: '$' | 'kW'; column: string }
  | { kind: 'area'; key: string; label: string }
  // Days for each name. The names themselves are URL parameters.
  | { kind: 'days'; key: string; names: Names }
  // Any of these strings for each of `valueFields`. The field names themselves are URL parameters.
  | { kind: 'values'; key: 'values' }

const { paid: _paid, ...openGateLabels } = gateLabels
// On-hold deals have their own stage kind, so the stage filter already finds them.
const { onHold: _onHold, ...fieldHoldLabels } = blockerLabels

/**
 * Filters of deals by URL parameter. The input, SQL, chips, and controls derive from this table. A deal must
 * match all filters. Saved views are compared in the order of the URL, so add new filters at the end.
 */
export const filters = {
  q: { kind: 'search', key: 'search' },
  stage: { kind: 'texts', key: 'stages', label: 'Stage', column: 'stage' },
  pipeline: { kind: 'texts', key: 'pipelines', label: 'Pipeline', column: 'pipeline' },
  state: { kind: 'texts', key: 'states', label: 'Region', column: 'state' },
  // Counties (`Maricopa, AZ`) and states (`Arizona`) that contain the deal's coordinates.
  place: { kind: 'texts', key: 'places', label: 'Region' },
  area: { kind: 'area', key: 'area', label: 'Area' },
  person: { kind: 'texts', key: 'people', label: 'People' },
  role: { kind: 'names', key: 'roles', names: 'role', narrows: 'person' },
  of: { kind: 'texts', key: 'partners', label: 'Partner' },
  yes: { kind: 'flags', key: 'flags', wanted: true, value: 'yes' },
  no: { kind: 'flags', key: 'flags', wanted: false, value: 'no' },
  has: { kind: 'names', key: 'present', names: 'time', value: 'is set' },
  lacks: { kind: 'names', key: 'missing', names: 'missable', value: 'no date' },
  done: { kind: 'names', key: 'done', names: sequentialLabels, value: 'done' },
  // Steps that a deal needs and has not completed.
  todo: { kind: 'names', key: 'todo', names: sequentialLabels, value: 'to do', select: 'Step to do' },
  // The step with the earliest planned day, if the deal is late with it.
  late: { kind: 'names', key: 'lateWith', names: sequentialLabels, value: 'late', max: 1 },
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
  // Steps whose duration is known.
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
      active: { value: 'open, not on hold' },
      onHold: { value: 'on hold' },
      paid: { value: 'paid' },
      notLost: { value: 'not lost' },
      payable: { value: 'not service tickets' },
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
  // Assignees by name.
  assignee: { kind: 'texts', key: 'assignees', label: 'Assigned to', values: { me: 'Me', '': 'Nobody' } },
} as const satisfies Record<string, Filter>

type Filters = typeof filters
export type FilterName = keyof Filters

/** Filters whose names are URL parameters themselves. */
export type FilterParam = {
  [Name in FilterName]: Filters[Name]['kind'] extends 'days' | 'values' ? never : Name
}[FilterName]

export type Mark = keyof Filters['is']['marks']

export interface Range {
  min?: number | undefined
  max?: number | undefined
}

type NameIn<Known> = Known extends keyof FieldsOf ? FieldsOf[Known] : keyof Known & string

interface Values {
  search: string
  texts: string[]
  flags: Partial<Record<FlagField, boolean>>
  waits: Partial<Record<StepNow, number>>
  range: Range
  area: Area
  values: Partial<Record<ValueField, string[]>>
}

export type ValueOf<Each extends Filter> = Each extends { kind: keyof Values }
  ? Values[Each['kind']]
  : Each extends { kind: 'days'; names: infer Known }
    ? Partial<Record<NameIn<Known>, DayRange>>
    : Each extends { names: infer Known }
      ? NameIn<Known>[]
      : never

type Keyed = Extract<Filters[FilterName], { key: string }>

/** The filter input that clients send, by the keys of `filters`. */
export type FilterInput = {
  -readonly [Each in Keyed as Each['key']]?: ValueOf<Each> | undefined
} & { [Each in Mark as KeyOfMark<Each>]?: true | undefined }

type KeyOfMark<Name extends Mark> = `is${Capitalize<Name>}`

/** Returns the input key of a mark. */
export const keyOfMark = <Name extends Mark>(mark: Name) =>
  `is${mark[0]!.toUpperCase()}${mark.slice(1)}` as KeyOfMark<Name>

export const marks: Readonly<Record<Mark, MarkLabels>> = filters.is.marks

export const markNames = Object.keys(marks) as Mark[]

/** Returns true if a filter value has no effect. */
export const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (typeof value === 'object' && Object.keys(value).length === 0) ||
  (typeof value === 'string' && value.trim() === '')
