import type { TransactionSql } from 'postgres'
import { isEventful } from './change.ts'
import type { DealChange } from './deal-change.ts'
import { type EventType, eventAround } from './event.ts'
import type { StoredDeal } from './stored-store.ts'

/** The parts of a change that an event needs. */
export type EventfulChange = Pick<DealChange, 'id' | 'partnerId' | 'changes' | 'isReturned'> & {
  stored: Pick<StoredDeal, 'partnerId'> | undefined
}

/** An event that has no sequence yet. */
export interface NewEvent {
  change: EventfulChange
  partnerId: number
  type: EventType
}

/** Returns the event of a change, if it warrants one. A deal that returns to its partner is not new. */
export function eventOf(change: EventfulChange): NewEvent[] {
  const { partnerId, stored, changes, isReturned = false } = change
  if (partnerId === null) return []
  if (stored?.partnerId !== partnerId) return isReturned ? [] : [{ change, partnerId, type: 'deal.created' }]
  return isEventful(changes) ? [{ change, partnerId, type: 'deal.updated' }] : []
}

/**
 * Writes the events; `sequences` are the last ones per partner before them.
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
  const numbered = events.map(({ change, partnerId, type }) => {
    const sequence = last.get(partnerId)! + 1
    last.set(partnerId, sequence)
    const changes = type === 'deal.created' ? [] : change.changes
    return {
      partnerId,
      sequence,
      type,
      id: String(change.id),
      ...eventAround({ type, timestamp: now, sequence, changes, asOf }),
    }
  })
  const column = <Name extends keyof (typeof numbered)[number]>(name: Name) =>
    numbered.map((event) => event[name])
  // Reads the JSON from the stored deal by index lookup, whatever the planner estimates.
  await sql`
    insert into events (partner_id, sequence, type, deal_id, created_at, body)
    select partner_id, sequence, type, deal_id, ${now.toISOString()},
      head || (select json from deals where id = deal_id) || tail
    from unnest(${column('partnerId')}::integer[], ${column('sequence')}::bigint[], ${column('type')}::text[],
      ${column('id')}::bigint[], ${column('head')}::text[], ${column('tail')}::text[])
      as event (partner_id, sequence, type, deal_id, head, tail)`
}
