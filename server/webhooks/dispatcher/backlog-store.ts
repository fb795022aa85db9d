import type { Database } from '#db/client.ts'
import { slowedForMs } from '../policy.ts'

/** The backlog of deliveries, excluding disabled endpoints. */
export interface Backlog {
  /** Number of deliveries that wait for earlier deliveries or for their next attempt. */
  waiting: number
  /**
   * Time in seconds by which the most overdue delivery is late, excluding slowed endpoints. 0 if no delivery
   * is due.
   */
  oldestDueS: number
  /** Number of endpoints that recently asked for fewer requests. */
  endpointsSlowed: number
  /** Longest time in seconds that an endpoint has been failing, or 0 if no endpoint is failing. */
  longestFailingS: number
}

/**
 * Returns the backlog of all partners. Reads waiting deliveries only from an index.
 * @system metrics
 */
export async function measureBacklog(db: Database): Promise<Backlog> {
  const [backlog] = await db.$client<[Backlog]>`
    select coalesce(sum(queue.waiting), 0)::float8 as waiting,
      greatest(extract(epoch from now() - min(queue.due_at) filter (where not endpoint.is_slowed)), 0)::float8
        as "oldestDueS",
      count(*) filter (where endpoint.is_slowed)::float8 as "endpointsSlowed",
      greatest(extract(epoch from now() - min(endpoint.failing_since)), 0)::float8 as "longestFailingS"
    from (
      select *, paused_until is not null
        and paused_until > now() - ${slowedForMs} * interval '1 millisecond' as is_slowed from endpoints
    ) endpoint
    cross join lateral (
      select count(*) as waiting, min(delivery.due_at) as due_at from deliveries delivery
      where delivery.partner_id = endpoint.partner_id and delivery.kind = endpoint.kind
        and delivery.state = 'waiting' and delivery.due_at is not null
    ) queue
    where endpoint.switched_off_at is null`
  return backlog
}
