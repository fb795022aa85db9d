import { parseJson } from '../values/int64.ts'
import { stateForm } from '../values/states.ts'
import type { Change } from './change.ts'
import { sizeOf } from './data-issue-rules.ts'
import { type DealField, type DealRecord, type KnownDeal, dealFields } from './deal.ts'
import { type EventType, isTechnical } from './event.ts'
import { truncate } from './search-text.ts'
import { textMaxLength } from './written-columns.ts'

/**
 * The field that each character of `marks` in `event_facts` stands for. Stored facts and filters depend on
 * this order, so a new field must be added at the end, whatever its position in a deal.
 */
export const markedFields = [
  'stage',
  'pipeline',
  'state',
  'city',
  'utilityName',
  'closerName',
  'lender',
  'moduleType',
  'inverterType',
  'battery',
  'amount',
  'systemSize',
  'totalPpw',
  'lastModified',
  'createDate',
  'timeInCurrentStage',
  'cadCompleted',
  'cadRequested',
  'engineeringCompleted',
  'engineeringRequested',
  'expectedPermitDeliveryDate',
  'fundingSubmitted',
  'hoaApprovedDate',
  'inspectionRequested',
  'installComplete',
  'installedScheduled',
  'notesLastUpdated',
  'notesNextActivityDate',
  'ntpApproved',
  'ntpRequested',
  'permitReceived',
  'permitSubmitted',
  'reInspectionRequested',
  'reInstallScheduled',
  'reSignDate',
  'siteSurveyCompleted',
  'siteSurveyRequested',
  'redesignCompleteDate',
  'hasBattery',
  'hasChangesToAdders',
  'hasHoa',
  'inspectionRequired',
  'installCompleted',
  'm2Approved',
  'hasOutstandingItems',
  'permitRequired',
  'plansetMatchesAsBuilt',
  'scopeOfWorkPacket',
] as const satisfies readonly DealField[]
export type MarkedField = (typeof markedFields)[number]

/**
 * What a filter compares with an event's facts, in the form of the database type `event_filter`. A pattern
 * has one character per marked field: `1`, `0`, or `_` for either.
 */
export interface FilterTerms {
  stages?: string[]
  pipelines?: string[]
  states?: string[]
  amount_min?: number
  amount_max?: number
  created_after?: string
  /** Patterns, any of which must match. The same applies to the other lists. */
  has?: string[]
  lacks?: string[]
  flags?: string[]
  /** Fields; an update must change at least one. */
  changed?: DealField[]
}

/**
 * How an event affects whether a deal matches a filter: the deal starts to match, continues to match, or
 * stops matching.
 */
export const filterResults = ['entered', 'in', 'left'] as const
export type FilterResult = (typeof filterResults)[number]

/** The values of a deal that event filters compare, in the form of the columns of `deals`. */
export interface DealFacts {
  stage: string | null
  pipeline: string | null
  state: string | null
  amount: number | null
  createDate: string | null
  marks: string
}

/** The facts of a deal before and after a change; null if the partner could not see the deal at that time. */
export interface EventFacts {
  before: DealFacts | null
  after: DealFacts | null
}

/** Returns the facts about a deal in its current state. */
export function factsOf(deal: KnownDeal | DealRecord): DealFacts {
  return {
    stage: textOf(deal.stage),
    pipeline: textOf(deal.pipeline),
    state: textOf(deal.state == null ? null : stateForm(deal.state)),
    amount: deal.amount ?? null,
    createDate: isStored(deal.createDate) ? deal.createDate! : null,
    marks: markedFields.map((field) => (isMarked(field, deal[field]) ? '1' : '0')).join(''),
  }
}

const textOf = (text: string | null | undefined) => (text == null ? null : truncate(text, textMaxLength))

// PostgreSQL has no year 0.
const isStored = (time: string | null | undefined) => time != null && time >= '0001'

function isMarked(field: MarkedField, value: unknown): boolean {
  if (value === null || value === undefined || value === '' || value === false) return false
  if (field === 'systemSize') return sizeOf(value as string) !== null
  return dealFields[field].kind !== 'time' || isStored(value as string)
}

const factFields: ReadonlySet<string> = new Set(markedFields)

/** Returns the facts about a deal before these changes, given the facts after them. */
export function factsBefore(
  deal: KnownDeal | DealRecord,
  after: DealFacts,
  changes: readonly Change[],
): DealFacts {
  const relevant = changes.filter(({ field }) => factFields.has(field))
  if (relevant.length === 0) return after
  const former = Object.fromEntries(relevant.map(({ field, from }) => [field, parseJson(from)]))
  return factsOf({ ...deal, ...former } as KnownDeal)
}

/** Returns an event's row in `event_facts`, as values for the database. */
export function factsRow(
  event: { partnerId: number; sequence: number; type: EventType; changes: readonly Change[] },
  { before, after }: EventFacts,
): Record<string, unknown> {
  const { partnerId, sequence, type, changes } = event
  const changed = changes.map(({ field }) => field).filter((field) => !isTechnical(field))
  return {
    partner_id: partnerId,
    sequence,
    type,
    changed: type === 'deal.updated' ? changed : null,
    ...(type !== 'deal.created' && before !== null && columnsOf(before, '_before')),
    ...(type !== 'deal.removed' && after !== null && columnsOf(after, '')),
  }
}

const columnsOf = ({ stage, pipeline, state, amount, createDate, marks }: DealFacts, suffix: string) => ({
  [`stage${suffix}`]: stage,
  [`pipeline${suffix}`]: pipeline,
  [`state${suffix}`]: state,
  [`amount${suffix}`]: amount,
  [`create_date${suffix}`]: createDate,
  [`marks${suffix}`]: marks,
})
