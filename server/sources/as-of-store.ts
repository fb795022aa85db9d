import type { Database } from '#db/client.ts'

/**
 * Returns the time up to which all sources have been read, or null if there is no source.
 * @system every response
 */
export async function readAsOf({ $client: sql }: Database): Promise<Date | null> {
  const [{ asOf }] = await sql<[{ asOf: string | null }]>`
    select min(coalesce(as_of, created_at)) as "asOf" from sources where connected_at is not null`
  return asOf === null ? null : new Date(asOf)
}

/** Returns the lag of the slowest source and the number of failing sources. @system metrics */
export async function measureSources({
  $client: sql,
}: Database): Promise<{ sourceLagS: number; sourcesFailing: number }> {
  const [row] = await sql<[{ sourceLagS: number; sourcesFailing: number }]>`
    select coalesce(max(extract(epoch from clock_timestamp() - coalesce(as_of, created_at))), 0)::float8 as "sourceLagS",
      (count(*) filter (where failing_since is not null))::float8 as "sourcesFailing"
    from sources where paused_at is null and connected_at is not null`
  return row
}
