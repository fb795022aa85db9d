import type { Database } from '#db/client.ts'

/** How far the deliveries are behind. Those to addresses that are switched off wait for nobody, and do not count. */
export interface Backlog {
  /** How many deliveries wait, for their turn or for the next attempt. */
  waiting: number
  /** For how long the one that is due longest has been due, in seconds; 0 when none is. */
  oldestDueS: number
  /** For how long the address that fails longest has taken nothing, in seconds; 0 when none fails. */
  longestFailingS: number
}

/**
 * Returns how far the deliveries of all partners are behind; reads what waits from an index alone.
 * @system metrics
 */
export async function measureBacklog(db: Database): Promise<Backlog> {
  const [backlog] = await db.$client<[Backlog]>`
    select coalesce(sum(queue.waiting), 0)::float8 as waiting,
      greatest(extract(epoch from now() - min(queue.due_at)), 0)::float8 as "oldestDueS",
      greatest(extract(epoch from now() - min(endpoint.failing_since)), 0)::float8 as "longestFailingS"
    from endpoints endpoint
    cross join lateral (
      select count(*) as waiting, min(delivery.due_at) as due_at from deliveries delivery
      where delivery.partner_id = endpoint.partner_id and delivery.kind = endpoint.kind and delivery.state = 'waiting' and delivery.due_at is not null
    ) queue
    where endpoint.switched_off_at is null`
  return backlog
}
