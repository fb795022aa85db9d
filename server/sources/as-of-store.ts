import { isNotNull, sql } from 'drizzle-orm'
import type { Database } from '#db/client.ts'
import { sources } from '#db/schema/sources.ts'

/** Returns the time up to which all sources have been read; null without one. @system every response */
export async function readAsOf(db: Database): Promise<Date | null> {
  const [row] = await db
    .select({ asOf: sql<string | null>`min(coalesce(${sources.asOf}, ${sources.createdAt}))` })
    .from(sources)
    .where(isNotNull(sources.connectedAt))
  return row?.asOf == null ? null : new Date(row.asOf)
}

/** Returns the lag of the slowest source and the number of failing ones. @system metrics */
export async function measureSources({
  $client,
}: Database): Promise<{ sourceLagS: number; sourcesFailing: number }> {
  const [row] = await $client<[{ sourceLagS: number; sourcesFailing: number }]>`
    select coalesce(max(extract(epoch from clock_timestamp() - coalesce(as_of, created_at))), 0)::float8 as "sourceLagS",
      (count(*) filter (where failing_since is not null))::float8 as "sourcesFailing"
    from sources where paused_at is null and connected_at is not null`
  return row
}
