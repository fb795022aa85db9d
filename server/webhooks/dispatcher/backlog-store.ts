import type { Database } from '#db/client.ts'
import { slowedForMs } from '../policy.ts'

/** The backlog of deliveries, without those to disabled endpoints. */
export interface Backlog {
  /** Waiting deliveries: for earlier ones, or for the next attempt. */
  waiting: number
  /** Age of the most overdue delivery in seconds, without those to slowed endpoints; 0 if none is due. */
  oldestDueS: number
  /** Endpoints that asked for fewer requests lately. */
  endpointsSlowed: number
  /** Longest time an endpoint has been failing, in seconds; 0 if none fails. */
  longestFailingS: number
}

/**
 * Returns the backlog of all partners, reading waiting deliveries only from an index.
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
