import type { DealField } from '#server/deals/deal.ts'
import type { DerivedColumn } from '#server/deals/derived-columns.ts'
import type { DealFilter, DealSort } from '#server/search/wire.ts'
import { type StageKind, isClosed } from '#server/stages/stage.ts'
import { type DealsState, filterOf } from '../query.ts'

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

/** Returns the procedure's input for the cards of a stage, in the order of the query if it has one. */
export function cardsInput(
  state: DealsState,
  { stage, kind }: { stage: string; kind: StageKind },
  today: string,
  seesAllPartners: boolean,
) {
  return {
    filter: { ...filterOf(state, today), stages: [stage] } satisfies DealFilter,
    // In open stages, the deal with the longest time in stage comes first.
    sort:
      state.sort ??
      ({ field: 'timeInCurrentStage', direction: isClosed(kind) ? 'desc' : 'asc' } satisfies DealSort),
    fields: seesAllPartners ? fields.concat('partner') : fields,
    limit: 20,
  }
}
