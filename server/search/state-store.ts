import { setImmediate } from 'node:timers/promises'
import type { TransactionSql } from 'postgres'
import type { Database } from '#db/client.ts'
import type { PartnerId } from '../accounts/partner.ts'
import { cellsToSave, linesOf } from '../deals/deal-writer.ts'
import type { DealField, KnownDeal } from '../deals/deal.ts'
import type { EventType } from '../deals/event.ts'
import { parseDeal, parseKnown, renderDeal } from '../deals/render.ts'
import { cellValues, nullCell, writtenColumns } from '../deals/written-columns.ts'
import { makeStageOf } from '../stages/stage.ts'
import { readAllStages } from '../stages/store.ts'
import { type Query, conditionOf } from './condition-store.ts'

export interface DealState {
  sequence: number
  isAfter: boolean
  line: string
}

// Maximum number of deals rendered without a pause, because rendering blocks the event loop.
const renderedAtOnce = 50

/**
 * Returns the deals before and after their partner's events. A created deal has only a state after the event,
 * and a deal that the partner lost has no state.
 * @system the worker
 */
export async function readStates(
  db: Database,
  sql: TransactionSql,
  partnerId: PartnerId,
  sequences: readonly number[],
): Promise<DealState[]> {
  const events = await sql<
    {
      sequence: number
      type: EventType
      id: string
      data: string
      former: string | null
      given: number | null
    }[]
  >`
    select event.sequence::float8, event.type, deals.id::text, (event.body::json -> 'data')::text as data, deals.given,
      (select json_object_agg(change ->> 'field', change -> 'from')::text
        from json_array_elements(event.body::json -> 'changes') change) as former
    from events event join deals on deals.id = event.deal_id and deals.partner_id = ${partnerId}
    where event.type <> 'deal.removed' and event.partner_id = ${partnerId} and event.sequence = any(${[...sequences]}::bigint[])
    order by event.sequence`
  const asOf = { stageOf: makeStageOf(await readAllStages(db)), nowMs: Date.now() }
  const states: Omit<DealState, 'line'>[] = []
  const rows: ReturnType<typeof cellsToSave>[] = []
  const add = (sequence: number, isAfter: boolean, deal: KnownDeal) => {
    states.push({ sequence, isAfter })
    rows.push(cellsToSave('split', { id: deal.id, partnerId, json: renderDeal(deal), deal }, asOf))
  }
  for (const [index, { sequence, type, data, former, given }] of events.entries()) {
    if (index > 0 && index % renderedAtOnce === 0) await setImmediate()
    const after = parseKnown(data, given)
    if (type === 'deal.updated') add(sequence, false, { ...after, ...formerValues(former ?? '{}') })
    add(sequence, true, after)
  }
  const lines = await linesOf(sql, rows)
  return states.map((state, index) => ({ ...state, line: lines[index]! }))
}

/** Returns the previous values of the fields that an event changed. */
function formerValues(json: string): Partial<KnownDeal> {
  const deal = parseDeal(json)
  const fields = Object.keys(JSON.parse(json) as object) as DealField[]
  return Object.fromEntries(fields.map((field) => [field, deal[field]]))
}

/** Returns which of these states a query matches. @system the worker */
export async function findStates(
  sql: TransactionSql,
  states: readonly DealState[],
  query: Query,
): Promise<DealState[]> {
  if (states.length === 0) return []
  // Replaces the deals table, so the same condition works for both deals and states.
  const found = await sql<{ index: number }[]>`
    with deals (state_index, ${sql.unsafe(writtenColumns.join(', '))}) as materialized (
      select row.index, ${sql.unsafe(cellValues)}
      from unnest(${states.map(({ line }) => line)}::text[]) with ordinality as row (line, index),
        string_to_array(row.line, chr(9), ${nullCell}) as cell)
    select state_index::integer as index from deals where ${conditionOf(sql, query)}`
  return found.map(({ index }) => states[index - 1]!)
}
