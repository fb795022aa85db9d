import type { FlagField, RoleField, TimeField } from '../deals/columns.ts'
import type { StepNow } from '../deals/milestones/flow.ts'
import {
  sequentialLabels,
  gateLabels,
  blockerLabels,
  reachLabels,
  stepLabels,
} from '../deals/milestones/labels.ts'
import type { ValueField } from '../deals/value-field.ts'
import type { Area } from '../values/point.ts'
import { newsLabels } from './news.ts'
import type { DayRange } from './step-store.ts'

/** Fields by kind: the server has their types, the browser their labels. */
interface FieldsOf {
  time: TimeField
  flag: FlagField
  role: RoleField
  missable: MissableField
}

/** Numbers that figures sum or divide by: deals without them are left out. */
export const missableNumbers = ['amount', 'systemSize', 'totalPpw'] as const

/** Fields whose absence can be filtered: figures that sum or date them leave out such deals. */
type MissableField = TimeField | (typeof missableNumbers)[number]

/** Labels by name, or the fields of one kind. */
type Names = Readonly<Record<string, string>> | keyof FieldsOf

/** Returns the names that a filter accepts. */
export type NamesOf = (names: Names) => readonly string[]

interface MarkLabels {
  /** The text of the chip. */
  value: string
  /** Its button among "More filters". */
  button?: string
}

/** A filter, by kind: its `key` in the input, and the column of `deals` that decides it; see `condition-store.ts`. */
export type Filter =
  // Words, each a prefix of a word of the deal.
  | { kind: 'search'; key: string }
  // Any of these texts; an empty one matches unknown.
  | {
      kind: 'texts'
      key: string
      label: string
      column?: string
      /** The labels of values that are not text in a deal. */
      values?: Readonly<Record<string, string>>
    }
  // Any of these names.
  | {
      kind: 'names'
      key: string
      names: Names
      /**
       * The label of the chip, which contains the name; without it, the chip shows the name's label and
       * `value`.
       */
      label?: string
      value?: string
      /** Whether one chip shows all names. */
      isJoined?: true
      max?: number
      /** The parameter that it narrows; it has no effect without that. */
      narrows?: string
      /** The label of its select among "More filters". */
      select?: string
      column?: string
    }
  // Yes-or-no fields with this value.
  | { kind: 'flags'; key: 'flags'; wanted: boolean; value: string }
  // Flags: set or absent, each with its own key: `open` is `isOpen`.
  | { kind: 'marks'; label: string; marks: Readonly<Record<string, MarkLabels>> }
  // The minimum days in each step: `permit:24,install:0`.
  | { kind: 'waits'; key: string; label: string }
  | { kind: 'range'; key: string; label: string; title: string; unit: '$' | 'kW'; column: string }
  | { kind: 'area'; key: string; label: string }
  // The days of each name, which is itself a parameter.
  | { kind: 'days'; key: string; names: Names }
  // Any of these texts for each of `valueFields`, which is itself a parameter.
  | { kind: 'values'; key: 'values' }

const { paid: _paid, ...openGateLabels } = gateLabels
// On hold is a stage, so the stage filter finds it.
const { onHold: _onHold, ...fieldHoldLabels } = blockerLabels

/**
 * The filters of deals by URL parameter; input, SQL, chips and controls derive from them. A deal must match
 * all. Saved views are compared in the order of the URL, so a new filter comes last.
 */
export const filters = {
  q: { kind: 'search', key: 'search' },
  stage: { kind: 'texts', key: 'stages', label: 'Stage', column: 'stage' },
  pipeline: { kind: 'texts', key: 'pipelines', label: 'Pipeline', column: 'pipeline' },
  state: { kind: 'texts', key: 'states', label: 'Region', column: 'state' },
  // Counties (`Maricopa, AZ`) and states (`Arizona`) by the deals' coordinates.
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
  // Steps that the deal is known to need and that are not done.
  todo: { kind: 'names', key: 'todo', names: sequentialLabels, value: 'to do', select: 'Step to do' },
  // The step with the earliest planned day.
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
  // Steps with a known duration.
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

/** Filters whose names are parameters themselves. */
export type FilterParam = {
  [Name in FilterName]: Filters[Name]['kind'] extends 'days' | 'values' ? never : Name
}[FilterName]

export type Mark = keyof Filters['is']['marks']

/** A range; either end may be open. */
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

/** The value of a filter in the input. */
export type ValueOf<Each extends Filter> = Each extends { kind: keyof Values }
  ? Values[Each['kind']]
  : Each extends { kind: 'days'; names: infer Known }
    ? Partial<Record<NameIn<Known>, DayRange>>
    : Each extends { names: infer Known }
      ? NameIn<Known>[]
      : never

type Keyed = Extract<Filters[FilterName], { key: string }>

/** What clients request, by the keys of `filters`. */
export type FilterInput = {
  -readonly [Each in Keyed as Each['key']]?: ValueOf<Each> | undefined
} & { [Each in Mark as KeyOfMark<Each>]?: true | undefined }

type KeyOfMark<Name extends Mark> = `is${Capitalize<Name>}`

/** Returns the filter key of a mark. */
export const keyOfMark = <Name extends Mark>(mark: Name) =>
  `is${mark[0]!.toUpperCase()}${mark.slice(1)}` as KeyOfMark<Name>

export const marks: Readonly<Record<Mark, MarkLabels>> = filters.is.marks

export const markNames = Object.keys(marks) as Mark[]

/** Returns whether a filter value has no effect. */
export const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (typeof value === 'object' && Object.keys(value).length === 0) ||
  (typeof value === 'string' && value.trim() === '')
