import type { DealField } from '#server/deals/deal.ts'
import type { DealFilter, DealSort } from '#server/deals/find/wire.ts'
import type { StageTotal } from '#server/deals/overview-store.ts'
import { restOf } from '../[id]/timeline.ts'
import { type DealsState, filterOf } from '../query.ts'

/** How many cards a column shows, and how many more at a time. */
const pageSize = 20

/** How many columns are read with the page: as many as a wide window shows. */
export const columnsAtOnce = 5

const fields: DealField[] = [
  'dealname',
  'firstName',
  'lastName',
  'city',
  'state',
  'amount',
  'timeInCurrentStage',
  'hasOutstandingItems',
]

/** Sorts the longest in stage first; in closed stages the latest first. */
const sortOf = (stage: string): DealSort => ({
  field: 'timeInCurrentStage',
  direction: restOf(stage) === 'closed' ? 'desc' : 'asc',
})

/** Returns the procedure's input for the cards of a stage; the query may set the order. */
export function cardsInput(state: DealsState, stage: string, today: string) {
  return {
    filter: { ...filterOf(state, today), stages: [stage] } satisfies DealFilter,
    sort: state.sort ?? sortOf(stage),
    fields,
    limit: pageSize,
  }
}

/** A column of the board; `stage` is empty where deals have none. Dollars. */
export interface Column {
  stage: string
  count: number
  amount: number
}

/** The columns in the order of the pipeline, those where deals rest or end last; deals without a stage are one, however they say so. */
export function columnsOf(totals: StageTotal[]): Column[] {
  const columns = new Map<string, Column>()
  for (const { stage, count, amount } of totals) {
    const known = columns.get(stage ?? '') ?? { stage: stage ?? '', count: 0, amount: 0 }
    columns.set(known.stage, { ...known, count: known.count + count, amount: known.amount + amount })
  }
  const rank = ({ stage }: Column) => [null, 'held', 'closed'].indexOf(restOf(stage))
  return [...columns.values()].toSorted((a, b) => rank(a) - rank(b))
}
