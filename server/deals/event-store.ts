import type { TransactionSql } from 'postgres'
import { type Change, isEventful } from './change.ts'
import type { DealChange } from './deal-change.ts'
import { type EventFacts, factsRow } from './event-facts.ts'
import { type EventType, eventAround } from './event.ts'
import { renderRemoved } from './render.ts'
import type { StoredDeal } from './stored-store.ts'

/** The parts of a change from which events are created. */
export type EventfulChange = Pick<DealChange, 'id' | 'partnerId' | 'changes'> & {
  stored: Pick<StoredDeal, 'partnerId'> | undefined
  /** What filters compare, for events that are stored. */
  facts?: EventFacts | null
}

/** An event that has not been assigned a sequence yet. */
export interface NewEvent {
  id: bigint
  partnerId: number
  type: EventType
  changes: Change[]
  facts: EventFacts | null
}

/** Returns the events of a change. A deal that moves is removed for one partner and created for the other. */
export function eventsOf({ id, partnerId, stored, changes, facts = null }: EventfulChange): NewEvent[] {
  const former = stored?.partnerId ?? null
  if (former !== null && former === partnerId)
    return isEventful(changes) ? [{ id, partnerId, type: 'deal.updated', changes, facts }] : []
  return [
    ...(former === null ? [] : [removalOf(id, former, facts)]),
    ...(partnerId === null ? [] : [{ id, partnerId, type: 'deal.created' as const, changes: [], facts }]),
  ]
}

/** Returns the event that tells a partner that a deal was removed. */
export const removalOf = (id: bigint, partnerId: number, facts: EventFacts | null): NewEvent => ({
  id,
  partnerId,
  type: 'deal.removed',
  changes: [],
  facts,
})

/** Returns the number of events of each partner. */
export function countByPartner(events: readonly NewEvent[]): Map<number, number> {
  const counts = new Map<number, number>()
  for (const { partnerId } of events) counts.set(partnerId, (counts.get(partnerId) ?? 0) + 1)
  return counts
}

/**
 * Writes events and their facts. `sequences` contains each partner's last sequence before these events.
 * @system the writer of deals
 */
export async function writeEvents(
  sql: TransactionSql,
  events: NewEvent[],
  sequences: ReadonlyMap<number, number>,
  { now, asOf = null }: { now: Date; asOf?: Date | null },
): Promise<void> {
  if (events.length === 0) return
  const last = new Map(sequences)
  const numbered = events.map(({ id, partnerId, type, changes, facts }) => {
    const sequence = last.get(partnerId)! + 1
    last.set(partnerId, sequence)
    return {
      partnerId,
      sequence,
      type,
      id: String(id),
      data: type === 'deal.removed' ? renderRemoved(id) : null,
      facts: facts === null ? null : factsRow({ partnerId, sequence, type, changes }, facts),
      ...eventAround({ type, timestamp: now, sequence, dealId: id, changes, asOf }),
    }
  })
  const column = <Name extends keyof (typeof numbered)[number]>(name: Name) =>
    numbered.map((event) => event[name])
  // Facts are written first, because the trigger `enqueue_deliveries` on events reads them.
  const writing = writeFacts(
    sql,
    numbered.flatMap(({ facts }) => (facts === null ? [] : [facts])),
  )
  // Takes the JSON from the stored deal. Written so that PostgreSQL always uses index lookups, whatever the
  // planner estimates.
  const written = sql`
    insert into events (partner_id, sequence, type, deal_id, created_at, body)
    select partner_id, sequence, type, deal_id, ${now.toISOString()},
      head || coalesce(data, (select json from deals where id = deal_id)) || tail
    from unnest(${column('partnerId')}::integer[], ${column('sequence')}::bigint[], ${column('type')}::text[],
      ${column('id')}::bigint[], ${column('head')}::text[], ${column('data')}::text[], ${column('tail')}::text[])
      as event (partner_id, sequence, type, deal_id, head, data, tail)`
  await Promise.all([writing, written])
}

/** Inserts rows into `event_facts`. @system the writer of deals */
const writeFacts = (sql: TransactionSql, rows: Record<string, unknown>[]) => sql`
  insert into event_facts
  select * from json_populate_recordset(null::event_facts, ${JSON.stringify(rows)}::text::json)`
