import type { StageOf } from '../stages/stage.ts'
import type { DealWrite, Decision, ListedWrite, Outcome, PlannedWrite } from './deal-plan.ts'
import type { DealRecord, KnownDeal } from './deal.ts'
import { type PersonInRoles, peopleOf } from './find/columns.ts'
import { type Point, pointOf } from './map/point.ts'
import { progressOf } from './milestones/milestone.ts'
import { cellsOf } from './written-columns.ts'

/** A deal to be saved: the cells of its row, the people it names and where it lies. */
export interface SavedDeal {
  people: PersonInRoles[]
  point: Point | null
  cells: string
}

/** A deal to be written. Holds no more than that needs: many are in memory at once. */
interface PreparedDeal extends SavedDeal, ListedWrite {
  stage: string
  progress: number
  /** Empty until its people are known. */
  row: string
}

/** A write that is decided about, and its deal if that is to be written. */
export interface PreparedWrite {
  outcome: Outcome
  deal: PreparedDeal | undefined
  /** The partner that the deal leaves, or would leave if it might; undefined for none. */
  leaves: number | undefined
  /** The version of the stored deal that the decision is about; undefined for a new deal. */
  version: string | undefined
  /** Returns the write, to be decided about again. */
  again: () => DealWrite
  /** As of when where it is was told. */
  asOf: StatusAsOf
}

/** What the stages mean, and the time, in milliseconds since 1970: where deals are depends on both. */
export interface StatusAsOf {
  stageOf: StageOf
  nowMs: number
}

/** Prepares what is decided at this time about a write of a stored deal of this version. */
export function prepareWrite(
  { outcome, plan, leaves }: Decision,
  version: string | undefined,
  again: () => DealWrite,
  asOf: StatusAsOf,
): PreparedWrite {
  return { outcome, deal: plan && prepareDeal(plan, asOf), leaves, version, again, asOf }
}

function prepareDeal(plan: PlannedWrite, asOf: StatusAsOf): PreparedDeal {
  const { id, stored, partnerId, changes, deal, isReturned = false } = plan
  return {
    id,
    stored: stored && { partnerId: stored.partnerId },
    partnerId,
    changes,
    isReturned,
    stage: deal.stage ?? '',
    progress: progressOf(deal),
    row: '',
    ...prepareSaving(plan, asOf),
  }
}

/** Prepares the saving of a rendered deal; the row of one that is not stored yet is copied. */
export function prepareSaving(
  rendered: {
    id: bigint
    stored: object | undefined
    partnerId: number | null
    json: string
    deal: KnownDeal | DealRecord
  },
  { stageOf, nowMs }: StatusAsOf,
): SavedDeal {
  const { deal, stored } = rendered
  const form = stored === undefined ? 'copied' : 'split'
  return {
    people: peopleOf(deal),
    point: pointOf(deal.coordinates ?? ''),
    cells: cellsOf(form, rendered, stageOf(deal.stage), nowMs),
  }
}
