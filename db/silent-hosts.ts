import type { Socket } from 'node:net'
import postgres from 'postgres'

/** How long a statement may be unanswered before another primary is looked for. */
const silenceMs = 3000
/** The pause after the host has proved to be the primary: a statement may take long. */
const trustMs = 10_000
const checkMs = 1000

/** A connection of the driver. */
interface Connection {
  /** Null while there is none. */
  socket: Socket | null
  /** The index of its host in the pool. */
  hostIndex: number
  /** Whether a statement is underway, or the connection is being made. */
  isBusy: boolean
}

/** State shared by the connections of a pool. */
interface Shared {
  /** The host that answered last. */
  hostIndex?: number
  onsocket?: (connection: Connection) => void
}

/**
 * Closes connections of a multi-host pool to a silent host as soon as another host accepts writes, so that
 * their queries fail and are retried there. A host that lost power closes nothing, and TCP gives up only
 * after 15 minutes (RFC 9293, section 3.8.3).
 */
export function leaveSilentHosts(pool: postgres.Sql): void {
  const shared = sharedOf(pool.options)
  /** Since when each connection has been silent, with the bytes that it had read by then. */
  const lastReceived = new Map<Connection, { bytes: number; at: number }>()
  let timer: NodeJS.Timeout | undefined
  let isLooking = false

  /** Returns the connections whose host has left a statement without an answer for too long. */
  function silentOnes(): Connection[] {
    const now = performance.now()
    return [...lastReceived].flatMap(([connection, last]) => {
      const bytes = connection.socket?.bytesRead
      if (bytes === undefined) lastReceived.delete(connection)
      else if (bytes !== last.bytes || !connection.isBusy) lastReceived.set(connection, { bytes, at: now })
      else if (now - last.at >= silenceMs) return [connection]
      return []
    })
  }

  async function check(): Promise<void> {
    const silent = silentOnes()
    if (lastReceived.size === 0) {
      clearInterval(timer)
      timer = undefined
    }
    if (silent.length === 0 || isLooking) return
    isLooking = true
    const primary = await findPrimary(pool.options)
    isLooking = false
    if (primary === null) return
    shared.hostIndex = primary
    const trustedUntil = performance.now() + trustMs
    for (const [connection, last] of lastReceived) {
      if (connection.hostIndex === primary) lastReceived.set(connection, { ...last, at: trustedUntil })
      else connection.socket?.destroy()
    }
  }

  shared.onsocket = (connection) => {
    lastReceived.set(connection, { bytes: 0, at: performance.now() })
    timer ??= setInterval(() => void check(), checkMs).unref()
  }
}

const sharedOf = (options: postgres.Sql['options']) => (options as unknown as { shared: Shared }).shared

/** Returns the index of the writable host, or null. Hosts that did not respond last time are tried first. */
async function findPrimary(options: postgres.Sql['options']): Promise<number | null> {
  const { onsocket: _, hostIndex = 0, ...rest } = sharedOf(options)
  const shared: Shared = { ...rest, hostIndex: (hostIndex + 1) % options.host.length }
  // The driver accepts options that it has already parsed, although its types do not say so.
  const own = { ...options, shared, max: 1, onclose: undefined } as object as postgres.Options<{}>
  const sql = postgres(own)
  try {
    await sql`select 1`
    return shared.hostIndex!
  } catch {
    return null
  } finally {
    await sql.end({ timeout: 1 })
  }
}
