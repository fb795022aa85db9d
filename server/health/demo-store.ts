import { sql } from 'drizzle-orm'
import type { Transaction } from '#db/client.ts'
import { hourRetentionDays } from './policy.ts'

/**
 * Generates demo hours: requests matching the tokens' usage, fewer at night, a few errors, and the delivery
 * attempts.
 * @system the demonstration
 */
export async function insertDemoHours(tx: Transaction): Promise<void> {
  await tx.execute(sql`
    with hours as (
      select hour, extract(hour from hour)::integer as clock, extract(doy from hour)::integer as day
      from generate_series(date_trunc('hour', now()) - ${hourRetentionDays - 1} * interval '1 day',
        date_trunc('hour', now()) - interval '1 hour', interval '1 hour') hour),
    tried as (
      select date_trunc('hour', started_at) as hour, count(*) as attempts,
        count(*) filter (where status is null or status not between 200 and 299 or error is not null) as failures
      from attempts group by 1)
    insert into health_hours (hour, requests, errors, attempts, failures, delivery_lag_s)
    select hour, case when clock between 13 and 23 then 22 else 6 end + (clock * 7 + day * 5) % 9,
      case when (clock + day) % 11 = 0 then 1 + day % 2 else 0 end,
      coalesce(attempts, 0), coalesce(failures, 0), (clock * 3 + day) % 5
    from hours left join tried using (hour)
    on conflict (hour) do nothing`)
}
