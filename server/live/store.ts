import type { ISql } from 'postgres'
import { type Changes, areNone, payloadsOf } from './change.ts'

/** The channel that notifies processes of changes. */
export const liveChannel = 'live'

/** Notifies the pages of all processes of changes, on commit. @system the writer of deals, the worker */
export async function notifyChanges(sql: ISql, changes: Changes): Promise<void> {
  if (areNone(changes)) return
  await sql`select pg_notify(${liveChannel}, payload) from unnest(${payloadsOf(changes)}::text[]) as payload`
}
