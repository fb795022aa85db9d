import { z } from 'zod'
import { BigRowId, text } from '../../protocol/input.ts'
import { parseInt64 } from '../../protocol/int64.ts'
import type { StageKind, StageTone } from '../../stages/stage.ts'
import { type DealField, dealFields } from '../deal.ts'
import type { ResolvedPlaces } from '../map/counties.ts'
import { flowSteps, lastStepsNow, stepsNow } from '../milestones/flow.ts'
import { courseMilestones } from '../milestones/milestone.ts'
import { openGates, fieldHolds } from '../milestones/money.ts'
import { toTime } from '../time.ts'
import { GetDeal } from '../wire.ts'
import { flagFields, roleFields, timeFields } from './columns.ts'
import { newsKinds } from './news.ts'
import { valueFields } from './value-field.ts'

const names = z.array(text(200)).max(200)
// PostgreSQL has no year 0.
const day = z.iso.date().refine((date) => date >= '0001', { error: 'must be in the year 1 or later' })
const latitude = z.number().min(-90).max(90)
const longitude = z.number().min(-180).max(180)
const Area = z.object({ west: longitude, south: latitude, east: longitude, north: latitude })
const Range = z.object({ min: z.number().optional(), max: z.number().optional() })

/** The first and last day, in the zone of whoever asks. */
const DayRange = z.object({ from: day.optional(), to: day.optional() })

/** Fields of which deals without a value are found: what figures that sum or date them leave out. */
const missableFields = [...timeFields, 'amount', 'systemSize', 'totalPpw'] as const
export type MissableField = (typeof missableFields)[number]

const NewsFilter = z.partialRecord(z.enum(newsKinds), DayRange)
export type NewsFilter = z.infer<typeof NewsFilter>

/**
 * A filter of deals: all conditions must hold; a list matches any of its values, an empty text matches
 * unknown.
 */
export const DealFilter = z.object({
  /**
   * Words, each a prefix of a word of the deal's names, street address, utility, phone, e-mail address or id.
   */
  search: text(200).optional(),
  stages: names.optional(),
  pipelines: names.optional(),
  states: names.optional(),
  /** Names of counties (`Maricopa, AZ`) and states (`Arizona`) in which deals lie by their coordinates. */
  places: names.optional(),
  /** A box of coordinates, in degrees. */
  area: Area.optional(),
  values: z.partialRecord(z.enum(valueFields), names).optional(),
  /** Names of partners; an empty text matches deals of none. */
  partners: names.optional(),
  /** Names of people with a role in the deal. */
  people: names.optional(),
  /** The roles that these people have, any of them; any role without. */
  roles: z.array(z.enum(roleFields)).max(roleFields.length).optional(),
  /** Only deals in which the signed-in user has a role, by e-mail address. */
  isMine: z.literal(true).optional(),
  flags: z.partialRecord(z.enum(flagFields), z.boolean()).optional(),
  dates: z.partialRecord(z.enum(timeFields), DayRange).optional(),
  present: z.array(z.enum(timeFields)).max(timeFields.length).optional(),
  missing: z.array(z.enum(missableFields)).max(missableFields.length).optional(),
  /** Steps that are done, and steps that the deal is known to need still. */
  done: z.array(z.enum(courseMilestones)).max(courseMilestones.length).optional(),
  todo: z.array(z.enum(courseMilestones)).max(courseMilestones.length).optional(),
  /** Where the deal is on its way to be paid, and what it waits for. */
  gates: z.array(z.enum(openGates)).max(openGates.length).optional(),
  holds: z.array(z.enum(fieldHolds)).max(fieldHolds.length).optional(),
  /** Open deals that have been in any of these steps for at least so many days. */
  inStep: z.partialRecord(z.enum(stepsNow), z.int().min(0).max(100_000)).optional(),
  /** Deals of which it is known how many days they took for each of these steps. */
  took: z.array(z.enum(flowSteps)).max(flowSteps.length).optional(),
  /** Only deals of which a date is missing that tells how long a step took that is over. */
  isUndated: z.literal(true).optional(),
  /** How far the deal has come. */
  reached: z.array(z.enum(lastStepsNow)).max(lastStepsNow.length).optional(),
  /** Only deals with a step that was planned for a day that is over and is still needed. */
  isLate: z.literal(true).optional(),
  /** Only deals of which this is the step whose planned day came first. */
  lateWith: z.array(z.enum(courseMilestones)).max(1).optional(),
  /** Only deals in stages that are not closed. */
  isOpen: z.literal(true).optional(),
  /** Only deals in stages that are lost. */
  isLost: z.literal(true).optional(),
  /** Dollars. */
  amount: Range.optional(),
  /** Kilowatts. */
  size: Range.optional(),
  /** Deals to which this happened on these days. */
  news: NewsFilter.optional(),
})
export type DealFilter = z.infer<typeof DealFilter> & {
  /** The e-mail address of the signed-in user, which `isMine` goes by; no client gives it. */
  viewerEmail?: string | undefined
  /** What `places` and `area` stand for; no client gives it. */
  meant?: ResolvedPlaces | undefined
}

/** Fields that deals can be sorted by. */
export const sortFields = [
  'dealname',
  'city',
  'state',
  'stage',
  'pipeline',
  'amount',
  'systemSize',
  ...timeFields,
] as const
export type SortField = (typeof sortFields)[number]

export const DealSort = z.object({ field: z.enum(sortFields), direction: z.enum(['asc', 'desc']) })
export type DealSort = z.infer<typeof DealSort>

/** Most recently changed first. */
export const initialSort: DealSort = { field: 'lastModified', direction: 'desc' }

/**
 * Where the next page of found deals begins: what the last deal is sorted by, null when that is not known,
 * and its id.
 */
export interface Cursor {
  key: string | null
  id: bigint
  /** Whether too many deals match by any index, so that the next ones are walked in order. */
  isLong?: boolean
}

const CursorText = text(1000).transform((text, context): Cursor => {
  const [, mark, digits = '', hasKey, key] = /^(~?)(-?\d{1,19})(?:(:)(.*))?$/s.exec(text) ?? []
  const id = parseInt64(digits)
  if (id !== null)
    return { key: hasKey === undefined ? null : key!, id, ...(mark === '~' && { isLong: true }) }
  context.addIssue({ code: 'custom', message: 'must be the `next` of the previous page' })
  return z.NEVER
})

/** Returns the cursor as text for clients. */
export const cursorText = ({ key, id, isLong }: Cursor) =>
  `${isLong === true ? '~' : ''}${id}${key === null ? '' : `:${key}`}`

/** Returns whether the text is a valid sort key of the field, as the database writes it. */
function isKeyOf(field: SortField, key: string): boolean {
  switch (dealFields[field].kind) {
    case 'double':
      return isNumber(key)
    case 'time':
      return (
        key >= '0001' &&
        /^\d{4}-\d\d-\d\d(?: \d\d:\d\d:\d\d(?:\.\d{1,6})?\+00)?$/.test(key) &&
        toTime(`${key.slice(0, 10)}T${key.slice(11, 19) || '00:00:00'}Z`) !== null
      )
    default:
      return field !== 'systemSize' || isNumber(key)
  }
}

const isNumber = (text: string) => /^-?\d[\d.e+-]*$/.test(text) && Number.isFinite(Number(text))

/**
 * What is told of a deal beside its fields: the nearest milestone, what holds it and who has it, and the partner's name
 * for those who see all.
 */
export const derivedColumns = ['milestone', 'held', 'partner'] as const
export type DerivedColumn = (typeof derivedColumns)[number]

const SortedDeals = z.object({ filter: DealFilter.default({}), sort: DealSort.default(initialSort) })

export const ExportDeals = SortedDeals.extend({
  /** What to tell of each deal besides all its fields. */
  derived: z.array(z.enum(derivedColumns)).max(derivedColumns.length).default([]),
})

/**
 * The fields to return of each deal, besides its id; `milestone` is derived from them and its stage, `partner` is the
 * partner's name for those who see the deals of all.
 */
const RowFields = z
  .array(z.enum([...(Object.keys(dealFields) as DealField[]), ...derivedColumns]))
  .min(1)
  .max(100)

export const FindDeals = SortedDeals.extend({
  fields: RowFields,
  cursor: CursorText.nullish(),
  limit: z.int().min(1).max(100).default(50),
}).refine(
  ({ cursor, sort }) => cursor?.key === undefined || cursor.key === null || isKeyOf(sort.field, cursor.key),
  {
    path: ['cursor'],
    error: 'must be the `next` of the previous page',
  },
)

/** A stage and the matching deals in it; `stage` is empty where deals have none. */
export interface BoardColumn {
  stage: string
  kind: StageKind
  tone: StageTone
  count: number
  /** Whether there may be more than `count`. */
  isMore: boolean
  /** Their total amount in dollars; null when it is not known. */
  amount: number | null
}

export const CountDeals = z.object({ filter: DealFilter.default({}) })

/** Matching deals in what a map shows. */
export const FindPoints = CountDeals.extend({ within: Area })

/** Shown deals of a list, to be looked at again. */
export const RefreshDeals = z.object({
  ids: z.array(GetDeal.shape.id).min(1).max(200),
  filter: DealFilter.default({}),
  fields: RowFields,
})

export const FindNeighbours = SortedDeals.extend({ id: GetDeal.shape.id })

export const DealHistory = z.object({
  id: GetDeal.shape.id,
  /** Return only events before this sequence. */
  before: BigRowId.nullish(),
})
