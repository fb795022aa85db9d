import type { Database } from '#db/client.ts'
import { rateWindowMs } from './policy.ts'

/** A lease that a process requests. `owner` is a token or a partner. */
export interface LeaseRequest {
  owner: string
  max: number
  want: number
}

/** A lease that the database has granted. */
export interface GrantedLease {
  owner: string
  granted: number
  /** Number of requests that no process has leased. */
  unleased: number
  window: string
  /** Time until the window ends. */
  resetMs: number
}

/** The unused part of a lease, which is returned. */
export interface UnusedLease {
  owner: string
  window: string
  unused: number
}

/**
 * Leases up to the requested amount for each owner, in an order that avoids deadlocks. Commits
 * asynchronously, so a failover may lose the most recent leases.
 * @system the rate limit
 */
export async function leaseRequests(db: Database, requests: LeaseRequest[]): Promise<GrantedLease[]> {
  const ordered = requests.toSorted((a, b) => (a.owner < b.owner ? -1 : 1))
  const column = (name: keyof LeaseRequest) => ordered.map((request) => request[name])
  return db.$client<GrantedLease[]>`
    insert into rate_windows as kept (owner, ends_at, most, taken, granted)
    select owner, now() + ${rateWindowMs} * interval '1 ms', most, least(want, most), least(want, most)
    from (select set_config('synchronous_commit', 'off', true) as commit) setting,
      unnest(${column('owner')}::text[], ${column('max')}::bigint[], ${column('want')}::bigint[])
        as asked (owner, most, want)
    where setting.commit is not null
    on conflict (owner) do update set
      ends_at = case when kept.ends_at <= now() then excluded.ends_at else kept.ends_at end,
      most = excluded.most,
      taken = case when kept.ends_at <= now() then excluded.taken
        else kept.taken + greatest(0, least(excluded.taken, excluded.most - kept.taken)) end,
      granted = case when kept.ends_at <= now() then excluded.taken
        else greatest(0, least(excluded.taken, excluded.most - kept.taken)) end
    returning owner, granted::float8, greatest(0, most - taken)::float8 as unleased, ends_at::text as window,
      extract(epoch from ends_at - now())::float8 * 1000 as "resetMs"`
}

/** Returns unused leased requests to the database, unless the window has ended. @system the rate limit */
export async function returnRequests(db: Database, unused: UnusedLease[]): Promise<void> {
  const ordered = unused.toSorted((a, b) => (a.owner < b.owner ? -1 : 1))
  const column = (name: keyof UnusedLease) => ordered.map((lease) => lease[name])
  await db.$client`
    update rate_windows kept set taken = greatest(0, taken - back.unused)
    from unnest(${column('owner')}::text[], ${column('window')}::text[], ${column('unused')}::bigint[])
      as back (owner, ends_at, unused)
    where kept.owner = back.owner and kept.ends_at = back.ends_at::timestamptz`
}

/** Deletes windows that have ended. Returns the number of deleted windows. @system retention */
export async function removeEndedWindows({ $client }: Database): Promise<number> {
  return (await $client`delete from rate_windows where ends_at < now() - interval '1 minute'`).count
}
