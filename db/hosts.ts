import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'

/** A server of the database: its host and port, or the path of its Unix socket. */
export type Server = { host: string; port: number } | { path: string }

/** The required host: one that accepts writes, or a primary even if read-only by default. */
export type SessionTarget = 'read-write' | 'primary'

/** The options that the driver passes to its `socket` function. */
type DriverOptions = postgres.Sql['options']

/** Silence after which the primary is searched for among the other hosts. */
const silenceMs = 3000
/** The minimum interval of such searches if the host is still the primary: a statement may take long. */
const trustMs = 10_000
const checkMs = 1000
/** Time limits for probing all hosts, and one of them. */
const lookS = 8
const hostLookS = 4

class NoPrimaryError extends Error {
  readonly code = 'CONNECTION_NO_PRIMARY'
  override readonly message = 'no host accepts writes'
}

/**
 * Connects a socket to a server and disables Nagle's algorithm: otherwise consecutive small writes wait up to
 * 40 ms.
 */
function dial(socket: Socket, to: Server): Socket {
  // The driver reads the name for TLS from the socket.
  Object.assign(socket, to).setNoDelay()
  return 'path' in to ? socket.connect(to.path) : socket.connect(to.port, to.host)
}

/** Opens a socket to a server. */
export const openSocket = (to: Server): Socket => dial(new Socket(), to)

/** Longer than the statement timeout, and than a connection may stay idle. */
const answerMaxMs = 15_000

/**
 * Closes a socket once nothing has arrived for one to two times `answerMaxMs`. By polling, because with TLS the driver
 * removes all listeners.
 */
export function closeWhenSilent(socket: Socket): Socket {
  let bytes = -1
  const timer = setInterval(() => {
    if (socket.bytesRead !== bytes) bytes = socket.bytesRead
    else {
      clearInterval(timer)
      socket.destroy()
    }
  }, answerMaxMs).unref()
  return socket
}

interface Heard {
  /** The host's index among all. */
  at: number
  bytes: number
  /** When the bytes arrived, on the clock of `performance`. */
  ms: number
}

/**
 * Returns a `socket` function for the driver that connects to the primary among several servers, first asking the one that
 * was the primary last. Connections to a host that falls silent are closed once another host is the primary: a machine that
 * lost its power closes nothing, and TCP gives up on it after a quarter of an hour (RFC 9293, section 3.8.3).
 */
export function connectToPrimary(
  servers: Server[],
  target: SessionTarget,
): (options: DriverOptions) => Socket {
  const connections = new Map<Socket, Heard>()
  let last = 0
  let looking: Promise<number> | null = null
  let isWatching = false

  /** Returns the primary's index. Concurrent callers share one probe. */
  const look = (options: DriverOptions, first: number) =>
    (looking ??= findPrimary(servers, target, options, first).finally(() => {
      looking = null
    }))

  async function openOn(socket: Socket, options: DriverOptions): Promise<void> {
    try {
      last = await look(options, last)
      if (socket.destroyed) return
      dial(socket, servers[last]!).uncork()
      connections.set(socket, { at: last, bytes: 0, ms: performance.now() })
      void watch(options)
    } catch (error) {
      socket.destroy(error as Error)
    }
  }

  async function watch(options: DriverOptions): Promise<void> {
    if (isWatching) return
    isWatching = true
    for (; connections.size > 0; await sleep(checkMs, undefined, { ref: false })) {
      if (isSomeoneSilent()) await leaveFormer(options)
    }
    isWatching = false
  }

  function isSomeoneSilent(): boolean {
    const now = performance.now()
    for (const [socket, { at, bytes }] of connections)
      if (socket.destroyed) connections.delete(socket)
      else if (socket.bytesRead !== bytes) connections.set(socket, { at, bytes: socket.bytesRead, ms: now })
    return [...connections.values()].some(({ ms }) => now - ms >= silenceMs)
  }

  /** Closes the connections to all hosts but the primary, if there is one. */
  async function leaveFormer(options: DriverOptions): Promise<void> {
    const primary = await look(options, last + 1).catch(() => null)
    if (primary === null) return
    last = primary
    const trustedUntil = performance.now() + trustMs
    for (const [socket, heard] of connections)
      if (heard.at === primary) connections.set(socket, { ...heard, ms: trustedUntil })
      else socket.destroy()
  }

  return (options) => {
    const socket = new Socket()
    // Holds the driver's data until the target is known.
    socket.cork()
    void openOn(socket, options)
    return socket
  }
}

/**
 * Returns the primary's index; asks one server after the other, starting with `first`.
 * @throws the error of the last one
 */
async function findPrimary(
  servers: Server[],
  target: SessionTarget,
  options: DriverOptions,
  first: number,
): Promise<number> {
  let problem: unknown
  for (let step = 0; step < servers.length; step++) {
    const at = (first + step) % servers.length
    try {
      const timeoutS = Math.min(hostLookS, lookS / servers.length)
      if (await isPrimary(servers[at]!, target, options, timeoutS)) return at
      problem = new NoPrimaryError()
    } catch (error) {
      // Skips a server that is starting or stopping; a wrong password is wrong everywhere.
      if (error instanceof postgres.PostgresError && !error.code.startsWith('57P')) throw error
      problem = error
    }
  }
  throw problem
}

async function isPrimary(
  server: Server,
  target: SessionTarget,
  options: DriverOptions,
  timeoutS: number,
): Promise<boolean> {
  // The driver accepts parsed options, missing from its types.
  const own = {
    ...options,
    socket: () => openSocket(server),
    shared: { retries: 0, typeArrayMap: {} },
    max: 1,
    connect_timeout: timeoutS,
    fetch_types: false,
    onclose: undefined,
  } as object as postgres.Options<{}>
  const sql = postgres(own)
  try {
    const [row] = await sql.unsafe<[{ is: string }]>(
      target === 'primary'
        ? `select pg_is_in_recovery()::text as is`
        : `select current_setting('transaction_read_only')::bool::text as is`,
    )
    return row.is === 'false'
  } finally {
    await sql.end({ timeout: 1 })
  }
}
