import { sql } from 'drizzle-orm'
import type { Transaction } from '#db/client.ts'
import { hourRetentionDays } from './policy.ts'

/**
 * Generates hourly health figures for the demo: the requests and errors of its tokens, with fewer at night,
 * and its delivery attempts.
 * @system the demo
 */
export async function insertDemoHours(tx: Transaction): Promise<void> {
  await tx.execute(sql`
    with hours as (
      select hour, hour::date as day, extract(hour from hour)::integer as clock,
        extract(doy from hour)::integer as number, sum(weight) over until_now / sum(weight) over whole as share,
        (sum(weight) over until_now - weight) / sum(weight) over whole as share_before
      from (
        select hour, case when extract(hour from hour) between 13 and 23 then 22.0 else 6.0 end as weight
        from generate_series(date_trunc('day', now()) - ${hourRetentionDays - 1} * interval '1 day',
          date_trunc('hour', now()) - interval '1 hour', interval '1 hour') hour) weighed
      window whole as (partition by hour::date),
        until_now as (partition by hour::date order by hour)),
    used as (
      select day, sum(requests) as requests, sum(errors) as errors from token_days group by 1),
    tried as (
      select date_trunc('hour', started_at) as hour, count(*) as attempts,
        count(*) filter (where status is null or status not between 200 and 299 or error is not null) as failures
      from attempts group by 1)
    insert into health_hours (hour, requests, errors, attempts, failures, delivery_lag_s)
    select hour, coalesce(floor(requests * share) - floor(requests * share_before), 0),
      coalesce(floor(errors * share) - floor(errors * share_before), 0),
      coalesce(attempts, 0), coalesce(failures, 0), (clock * 3 + number) % 5
    from hours left join used using (day) left join tried using (hour)
    on conflict (hour) do nothing`)
}
