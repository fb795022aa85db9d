import type { Sql } from 'postgres'

/** Gives a partner with deals this many events, sent long ago but within retention. */
export async function addOldRows(sql: Sql, partnerId: number, count: number): Promise<void> {
  await sql.begin(async (tx) => {
    // Without the trigger that would send them.
    await tx`set local session_replication_role = replica`
    await tx`
      insert into events (partner_id, sequence, type, deal_id, created_at, body)
      select ${partnerId}, number, 'deal.updated', ids[1 + number % cardinality(ids)], now() - interval '25 days' * (1 - number::float8 / ${count}::integer),
        json_build_object('type', 'deal.updated', 'sequence', number, 'data', json_build_object('id', ids[1 + number % cardinality(ids)]), 'changes', '[]'::json)
      from generate_series(1, ${count}::integer) number, (select array_agg(id order by id) as ids from deals where partner_id = ${partnerId}) deals`
    await tx`
      insert into deliveries (partner_id, kind, sequence, deal_id, state, lease, attempt_count, step, created_at, finished_at)
      select partner_id, 'update', sequence, deal_id, 'delivered', 1, 1, 1, created_at, created_at from events where partner_id = ${partnerId}`
    await tx`
      insert into attempts (delivery_id, number, started_at, duration_ms, url, signature, status, response_headers, response_body)
      select id, 1, created_at, 5, 'http://127.0.0.1/events', 'v1,' || repeat('s', 44), 200, 'Connection: keep-alive', ''
      from deliveries where partner_id = ${partnerId}`
    await tx`update deal_lists set last_sequence = ${count} where id = ${partnerId}`
  })
}
