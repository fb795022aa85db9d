import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { withTimeout } from '#server/protocol/with-timeout.ts'
import type { Database } from './client.ts'

/** What is done with what a channel says. */
interface Hearing {
  heard: (payload: string) => void
  /** Called when the connection listens: from now on nothing is missed. */
  listening: () => void
  /** Called when it is lost, and whatever is said meanwhile. */
  lost: () => void
}

/** How long the connection may be silently gone. */
const checkMs = 10_000
const checkTimeoutMs = 5000
const pauseMinMs = 100
const pauseMaxMs = 2000
/** In seconds; longer ones overflow the timer. */
const lifetimeS = 20 * 24 * 60 * 60

/**
 * Listens to a channel on a connection of its own, past a pooler, until it is stopped; a lost connection is opened again.
 * The driver's own `listen` does not notice a connection that is silently gone, or one to a former primary.
 */
export function hear({ $client }: Database, channel: string, { heard, listening, lost }: Hearing) {
  const stopping = new AbortController()
  const { signal } = stopping
  const pause = (ms: number) => sleep(ms, undefined, { signal }).catch(() => {})

  /** Listens until the connection is lost. Returns whether it has listened at all. */
  async function listenOnce(): Promise<boolean> {
    const closed = new AbortController()
    const { options } = $client.direct ?? $client
    // The driver accepts options that it has already parsed, although its types do not say so.
    const own = {
      ...options,
      max: 1,
      connection: {
        ...options.connection,
        application_name: `${options.connection.application_name} ${channel}`,
      },
      idle_timeout: null,
      max_lifetime: lifetimeS,
      onnotify: (_channel: string, payload: string) => heard(payload),
      onclose: () => closed.abort(),
    } as object as postgres.Options<{}>
    const sql = postgres(own)
    let hasListened = false
    try {
      await sql`listen ${sql(channel)}`
      hasListened = !closed.signal.aborted
      if (hasListened) listening()
      const ended = AbortSignal.any([closed.signal, signal])
      while (!ended.aborted) {
        await sleep(checkMs, undefined, { signal: ended }).catch(() => {})
        if (!ended.aborted) await check(sql)
      }
    } catch {
      // Whatever it was, the connection is opened again.
    }
    if (hasListened && !signal.aborted) lost()
    await sql.end({ timeout: 1 })
    return hasListened
  }

  async function run(): Promise<void> {
    let pauseMs = pauseMinMs
    while (!signal.aborted) {
      pauseMs = (await listenOnce()) ? pauseMinMs : Math.min(2 * pauseMs, pauseMaxMs)
      await pause(pauseMs)
    }
  }

  const running = run()
  return {
    async stop(): Promise<void> {
      stopping.abort()
      await running
    },
  }
}

/** Rejects when the connection is dead, or that of a standby, where nobody says anything. */
async function check(sql: postgres.Sql): Promise<void> {
  const asked = sql<{ isStandby: boolean }[]>`select pg_is_in_recovery() as "isStandby"`
  const [row] = await withTimeout(asked, checkTimeoutMs, () => {
    throw new Error('the database does not answer in time')
  })
  if (row?.isStandby !== false) throw new Error('the database is a standby')
}
