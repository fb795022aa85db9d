import type { Logger } from 'pino'
import { type Database, deleteInBatches } from '#db/client.ts'
import { BufferedCounter } from '../admission/buffered-counter.ts'
import { causeOf } from '../errors.ts'
import { readSourceHealth } from '../sources/as-of-store.ts'
import { visibleHours } from './policy.ts'

interface Done {
  /** Requests with a token; `errors` are responses with a status of 400 or more. */
  requests: number
  errors: number
  /** Delivery attempts; `failures` are failed attempts. */
  attempts: number
  failures: number
}

/** Adds counts to the current hour. @system the recorder of hours */
async function addToHour(
  { $client: sql }: Database,
  { requests, errors, attempts, failures }: Done,
): Promise<void> {
  await sql`
    insert into health_hours as known (hour, requests, errors, attempts, failures)
    values (date_trunc('hour', now()), ${requests}, ${errors}, ${attempts}, ${failures})
    on conflict (hour) do update set requests = known.requests + excluded.requests,
      errors = known.errors + excluded.errors, attempts = known.attempts + excluded.attempts,
      failures = known.failures + excluded.failures`
}

/** Returns by how many seconds the oldest delivery is overdue, or 0 if no delivery is due. */
async function readDeliveryLag({ $client: sql }: Database): Promise<number> {
  const [row] = await sql<[{ lagS: number }]>`
    select coalesce(extract(epoch from now() - min(queue.due_at)), 0)::float8 as "lagS"
    from endpoints endpoint cross join lateral (
      select due_at from deliveries delivery
      where delivery.partner_id = endpoint.partner_id and delivery.kind = endpoint.kind
        and delivery.state = 'waiting' and delivery.due_at is not null
      order by due_at limit 1) queue
    where endpoint.switched_off_at is null and queue.due_at <= now()`
  return row.lagS
}

/** Records the maximum lag of deliveries and of sources in the current hour. @system the worker */
export async function recordLag(db: Database): Promise<void> {
  const [deliveryLagS, { lagS }] = await Promise.all([readDeliveryLag(db), readSourceHealth(db)])
  await db.$client`
    insert into health_hours as known (hour, delivery_lag_s, source_lag_s)
    values (date_trunc('hour', now()), ${deliveryLagS}, ${lagS})
    on conflict (hour) do update set delivery_lag_s = greatest(known.delivery_lag_s, excluded.delivery_lag_s),
      source_lag_s = greatest(known.source_lag_s, excluded.source_lag_s)`
}

/** The counts of an hour, and the maximum lag of deliveries and sources. */
export interface HealthHour extends Done {
  hour: Date
  deliveryLagS: number
  sourceLagS: number
  /** Rows of imports that ended in this hour; `rejected` are rejected rows. */
  rows: number
  rejected: number
}

/** Returns the last `visibleHours` hours in ascending order, including the current hour. @system operators */
export async function readHours({ $client: sql }: Database): Promise<HealthHour[]> {
  const rows = await sql<(Omit<HealthHour, 'hour'> & { hour: string })[]>`
    with hours as (
      select generate_series(date_trunc('hour', now()) - ${visibleHours - 1} * interval '1 hour',
        date_trunc('hour', now()), interval '1 hour') as hour),
    imported as (
      select date_trunc('hour', finished_at) as hour, sum(rejected) as rejected,
        sum(created::bigint + updated + unchanged + rejected) as rows
      from imports where state = 'done' and finished_at >= (select min(hour) from hours) group by 1)
    select to_char(hours.hour, 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as hour,
      coalesce(requests, 0) as requests, coalesce(errors, 0) as errors,
      coalesce(attempts, 0) as attempts, coalesce(failures, 0) as failures,
      coalesce(delivery_lag_s, 0) as "deliveryLagS", coalesce(source_lag_s, 0) as "sourceLagS",
      coalesce(rows, 0)::float8 as rows, coalesce(imported.rejected, 0)::float8 as rejected
    from hours left join health_hours using (hour) left join imported using (hour)
    order by hours.hour`
  return rows.map((row) => ({ ...row, hour: new Date(row.hour) }))
}

/** Deletes hours that are older than `days`. Returns the number of deleted hours. @system retention */
export const removeOldHours = (db: Database, days: number): Promise<number> =>
  deleteInBatches(db, 'health_hours', db.$client`hour < now() - ${days} * interval '1 day'`)

/** Records how much work this process does per hour. */
export interface HourRecorder {
  request(status: number): void
  attempt(isDelivered: boolean): void
  stop(): Promise<void>
}

// Counts are added to the hour in which they are persisted, so a single key is enough.
const now = 0

/** Returns a recorder that persists counts in batches. @system the process */
export function recordHours(db: Database, log: Pick<Logger, 'warn'>): HourRecorder {
  const done = new BufferedCounter(
    { requests: 0, errors: 0, attempts: 0, failures: 0 },
    (counts) => addToHour(db, counts.get(now)!),
    (error) => log.warn({ error: causeOf(error) }, 'failed to persist the figures of the hour'),
  )
  return {
    request: (status) => done.add(now, { requests: 1, errors: status >= 400 ? 1 : 0 }),
    attempt: (isDelivered) => done.add(now, { attempts: 1, failures: isDelivered ? 0 : 1 }),
    stop: () => done.stop(),
  }
}
