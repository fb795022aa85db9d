import type { DealField } from '#server/deals/deal.ts'
import type { DerivedColumn } from '#server/deals/milestones/derived-columns.ts'
import type { DealFilter, DealSort } from '#server/search/wire.ts'
import { type StageKind, isClosed } from '#server/stages/stage.ts'
import { type DealsState, filterOf } from '../query.ts'

/** Page size of a column. */
const pageSize = 20

/** Number of columns that the server prefetches: enough for a wide window. */
export const columnsAtOnce = 5

const fields: (DealField | DerivedColumn)[] = [
  'dealname',
  'firstName',
  'lastName',
  'city',
  'state',
  'amount',
  'timeInCurrentStage',
  'hasOutstandingItems',
  'milestone',
  'held',
]

/** Sorts deals by time in stage: longest first, or in closed stages shortest first. */
const sortOf = (kind: StageKind): DealSort => ({
  field: 'timeInCurrentStage',
  direction: isClosed(kind) ? 'desc' : 'asc',
})

/** Returns the procedure's input for the cards of a stage, in the order of the query if it has one. */
export function cardsInput(
  state: DealsState,
  { stage, kind }: { stage: string; kind: StageKind },
  today: string,
  seesAllPartners: boolean,
) {
  return {
    filter: { ...filterOf(state, today), stages: [stage] } satisfies DealFilter,
    sort: state.sort ?? sortOf(kind),
    fields: seesAllPartners ? fields.concat('partner') : fields,
    limit: pageSize,
  }
}
