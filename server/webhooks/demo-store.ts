import { and, asc, eq, sql } from 'drizzle-orm'
import type { Transaction } from '#db/client.ts'
import { events } from '#db/schema/deals.ts'
import { endpoints } from '#db/schema/webhooks.ts'
import type { PartnerId } from '../accounts/partner.ts'
import { dayMs } from '../values/units.ts'
import { type DemoDelivery, type DemoEvent, demoHistory } from './demo-history.ts'
import type { EndpointUrls } from './store.ts'

/**
 * Sets the URLs of a demo partner, and fills the log with fictional deliveries of the partner's events.
 * Returns false if the partner already has endpoints.
 */
export async function insertDemoDeliveries(
  tx: Transaction,
  partnerId: PartnerId,
  urls: Record<keyof EndpointUrls, string>,
  { now, scheduleMs }: { now: Date; scheduleMs: readonly number[] },
): Promise<boolean> {
  if ((await tx.$count(endpoints, eq(endpoints.partnerId, partnerId))) > 0) return false
  const history = demoHistory(await readEvents(tx, partnerId), now, scheduleMs)
  const rows = history.map((delivery) => rowOf(delivery, urls))
  await tx.execute(sql`
    with made as (select * from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) as made (
      kind text, sequence bigint, deal_id bigint, state text, step smallint, due_at timestamptz,
      last_status smallint, created_at timestamptz, finished_at timestamptz, attempts jsonb)),
    kept as (
      insert into deliveries (partner_id, kind, sequence, deal_id, state, step, due_at, last_status, created_at,
        finished_at, attempt_count)
      select ${partnerId}, kind, sequence, deal_id, state, step, due_at, last_status, created_at, finished_at,
        jsonb_array_length(attempts)
      from made order by sequence returning id, sequence)
    insert into attempts (delivery_id, number, started_at, duration_ms, url, signature, status, response_headers,
      response_body)
    select kept.id, attempt.number, (attempt.value->>'at')::timestamptz, (attempt.value->>'durationMs')::integer,
      attempt.value->>'url', 'v1,demonstration', (attempt.value->>'status')::smallint,
      'content-type: application/json', '{"demonstration":"made up, nothing was sent"}'
    from kept join made using (sequence)
    cross join lateral jsonb_array_elements(made.attempts) with ordinality attempt(value, number)`)
  const retrying = history.find(({ state, attempts }) => state === 'waiting' && attempts.length > 0)
  const setAt = new Date(now.getTime() - setDaysAgo * dayMs)
  await tx.insert(endpoints).values([
    { partnerId, kind: 'create', url: urls.create, updatedAt: setAt },
    {
      partnerId,
      kind: 'update',
      url: urls.update,
      updatedAt: setAt,
      ...(retrying === undefined
        ? {}
        : {
            failingSince: retrying.attempts[0]!.at,
            failingAnswer: String(retrying.attempts.at(-1)!.status),
          }),
    },
  ])
  return true
}

/** Earlier than the start of the change history. */
const setDaysAgo = 9

async function readEvents(tx: Transaction, partnerId: PartnerId): Promise<DemoEvent[]> {
  const rows = await tx
    .select({ sequence: events.sequence, type: events.type, dealId: events.dealId, at: events.createdAt })
    .from(events)
    .where(and(eq(events.partnerId, partnerId)))
    .orderBy(asc(events.sequence))
  return rows.map(({ sequence, type, dealId, at }) => ({
    sequence: Number(sequence),
    kind: type === 'deal.created' ? 'create' : 'update',
    dealId: String(dealId),
    at,
  }))
}

function rowOf(
  { kind, sequence, dealId, state, step, dueAt, at, attempts }: DemoDelivery,
  urls: EndpointUrls,
) {
  return {
    kind,
    sequence,
    deal_id: dealId,
    state,
    step,
    due_at: dueAt,
    last_status: attempts.at(-1)?.status ?? null,
    created_at: at,
    finished_at: state === 'waiting' ? null : attempts.at(-1)!.at,
    attempts: attempts.map((attempt) => ({ ...attempt, url: urls[kind] })),
  }
}
