import { setTimeout as sleep } from 'node:timers/promises'
import type postgres from 'postgres'
import { databaseTooLate, withTimeout } from '#server/admission/scheduling.ts'
import type { Database } from './client.ts'
import { openAlike } from './hosts.ts'

/** Channel callbacks. */
interface ListenHandlers {
  onMessage: (payload: string, channel: string) => void
  /** Called when the connection starts listening. */
  onListening: () => void
  /** Called when the connection is lost. Notifications may be missed until the next `onListening`. */
  onLost: () => void
}

/** Maximum time until a dead connection is noticed. */
const checkMs = 10_000
const checkTimeoutMs = 5000
const pauseMinMs = 100
const pauseMaxMs = 2000
/** Maximum interval in seconds. Longer intervals overflow the timer. */
const lifetimeS = 20 * 24 * 60 * 60

/**
 * Listens to channels on a dedicated connection that bypasses poolers, and reconnects until stopped. The
 * driver's own `listen` does not notice a dead connection or a former primary.
 */
export function listenTo(
  { $client }: Database,
  channels: readonly [string, ...string[]],
  { onMessage, onListening, onLost }: ListenHandlers,
) {
  const stopping = new AbortController()
  const { signal } = stopping
  const pause = (ms: number) => sleep(ms, undefined, { signal }).catch(() => {})

  /** Listens until the connection is lost. Returns true if the connection had been established. */
  async function listenOnce(): Promise<boolean> {
    const closed = new AbortController()
    const { options } = $client.direct ?? $client
    const sql = openAlike(options, {
      connection: {
        ...options.connection,
        application_name: `${options.connection.application_name} ${channels[0]}`,
      },
      idle_timeout: null,
      max_lifetime: lifetimeS,
      onnotify: (channel: string, payload: string) => onMessage(payload, channel),
      onclose: () => closed.abort(),
    })
    let hasListened = false
    try {
      for (const channel of channels) await sql`listen ${sql(channel)}`
      hasListened = !closed.signal.aborted
      if (hasListened) onListening()
      const ended = AbortSignal.any([closed.signal, signal])
      while (!ended.aborted) {
        await sleep(checkMs, undefined, { signal: ended }).catch(() => {})
        if (!ended.aborted) await check(sql)
      }
    } catch {
      // Any error leads to a reconnect.
    }
    if (hasListened && !signal.aborted) onLost()
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

/** Rejects if the connection is dead or leads to a standby, which does not send notifications. */
async function check(sql: postgres.Sql): Promise<void> {
  const query = sql<{ isStandby: boolean }[]>`select pg_is_in_recovery() as "isStandby"`
  const [row] = await withTimeout(query, checkTimeoutMs, databaseTooLate)
  if (row?.isStandby !== false) throw new Error('the database is a standby')
}
