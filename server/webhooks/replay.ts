import type { Database } from '#db/client.ts'
import { allOf } from '#db/fragments.ts'
import type { PartnerId } from '../accounts/partner.ts'
import { withIds } from '../deals/event.ts'
import { secondMs } from '../values/units.ts'
import { type AttemptDeps, attemptOnce } from './attempt.ts'
import type { SubscribedEvents } from './subscription-wire.ts'

/** Selects events to replay, by deal or by time. */
export interface Recorded {
  dealId?: bigint | undefined
  since?: Date | undefined
  until?: Date | undefined
  after: number
}

export interface Replayed {
  sequence: number
  state: 'delivered' | 'failed'
  status: number | null
  error: string | null
  durationMs: number
}

// Maximum number of events per call, which then takes about as long as a test. The page calls again for the
// rest.
const replayedAtOnce = 20
const replayMs = 8 * secondMs

/**
 * Sends recorded events to a URL in order, marked as tests, until one fails. Changes neither the log nor an
 * endpoint. Returns the sequence number to continue after, or null at the end.
 */
export async function replay(
  db: Database,
  partnerId: PartnerId,
  { url, recorded, subscribed }: { url: string; recorded: Recorded; subscribed: SubscribedEvents },
  secrets: string[],
  deps: AttemptDeps,
): Promise<{ replayed: Replayed[]; next: number | null }> {
  const events = await readRecorded(db, partnerId, recorded, subscribed)
  const replayed: Replayed[] = []
  const startedAt = performance.now()
  for (const { sequence, body } of events) {
    const { state, status, error, durationMs } = await attemptOnce(url, body, secrets, deps)
    const isDelivered = state === 'delivered'
    replayed.push({ sequence, state: isDelivered ? 'delivered' : 'failed', status, error, durationMs })
    if (!isDelivered) return { replayed, next: null }
    if (performance.now() - startedAt > replayMs) break
  }
  const isEnd = replayed.length === events.length && events.length < replayedAtOnce
  return { replayed, next: isEnd ? null : (replayed.at(-1)?.sequence ?? null) }
}

async function readRecorded(
  { $client: sql }: Database,
  partnerId: PartnerId,
  { dealId, since, until, after }: Recorded,
  { events, filter, terms }: SubscribedEvents,
): Promise<{ sequence: number; body: string }[]> {
  const conditions = [
    sql`event.partner_id = ${partnerId} and event.sequence > ${after} and event.type = any(${events}::text[])`,
    ...(dealId === undefined ? [] : [sql`event.deal_id = ${String(dealId)}`]),
    ...(since === undefined ? [] : [sql`event.created_at >= ${since.toISOString()}`]),
    ...(until === undefined ? [] : [sql`event.created_at < ${until.toISOString()}`]),
    ...(terms === null ? [] : [sql`event_result(wanted, facts) is not null`]),
  ]
  const result = filter === null ? sql`null` : sql`event_result(wanted, facts)`
  const rows = await sql<{ sequence: string; body: string }[]>`
    select event.sequence, sent_body(event.body, ${result}) as body
    from events event
      left join event_facts facts on facts.partner_id = event.partner_id and facts.sequence = event.sequence,
      jsonb_populate_record(null::event_filter, ${JSON.stringify(terms ?? {})}::text::jsonb) wanted
    where ${allOf(sql, conditions)} order by event.sequence limit ${replayedAtOnce}`
  return rows.map(({ sequence, body }) => ({
    sequence: Number(sequence),
    body: `${withIds(body).slice(0, -1)},"test":true}`,
  }))
}
