import type { ISql } from 'postgres'
import { type Changes, areNone, payloadsOf } from './change.ts'

/** PostgreSQL channel that notifies processes of changes. */
export const liveChannel = 'live'

/**
 * Notifies open pages in all processes of changes when the transaction commits.
 * @system the writer of deals, the worker
 */
export async function notifyChanges(sql: ISql, changes: Changes): Promise<void> {
  if (areNone(changes)) return
  await sql`select pg_notify(${liveChannel}, payload) from unnest(${payloadsOf(changes)}::text[]) as payload`
}
