import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'

/** A database server: its host and port, or the path of its Unix socket. */
export type Server = { host: string; port: number } | { path: string }

/** Kind of host to use: one that accepts writes, or a primary even if it is read-only by default. */
export type SessionTarget = 'read-write' | 'primary'

/** The options that the driver passes to its `socket` function. */
type DriverOptions = postgres.Sql['options']

/** Time without a response after which the other hosts are probed for the primary. */
const silenceMs = 3000
/** Pause after finding that the host is still the primary, because a statement may just be taking long. */
const trustMs = 10_000
const checkMs = 1000
/** Time limits in seconds for probing all hosts, and for probing one host. */
const lookS = 8
const hostLookS = 4

class NoPrimaryError extends Error {
  readonly code = 'CONNECTION_NO_PRIMARY'
  override readonly message = 'no host accepts writes'
}

/** Connects a socket without Nagle's algorithm, which delays small writes by up to 40 ms. */
function dial(socket: Socket, to: Server): Socket {
  // The driver reads the name for TLS from the socket.
  Object.assign(socket, to).setNoDelay()
  return 'path' in to ? socket.connect(to.path) : socket.connect(to.port, to.host)
}

/** Opens a socket to a server. */
export const openSocket = (to: Server): Socket => dial(new Socket(), to)

/** Opens one more connection with a pool's options, except for `changes`. */
export const openAlike = (options: DriverOptions, changes: object): postgres.Sql =>
  // The driver accepts parsed options, although its types do not declare this.
  postgres({ ...options, max: 1, ...changes } as object as postgres.Options<{}>)

/** Longer than both the statement timeout and the idle timeout. */
const answerMaxMs = 15_000

/**
 * Closes a socket when nothing arrives for 15 to 30 seconds. Polls, because the driver removes listeners when
 * it starts TLS.
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

interface LastRead {
  /** The index of the host. */
  at: number
  bytes: number
  /** Time when the bytes arrived, in terms of `performance.now()`. */
  ms: number
}

/**
 * Returns a `socket` function for the driver that connects to the primary among several servers. Closes
 * connections to a silent host once another host is the primary, because a machine that loses power does not
 * close its connections and TCP gives up only after 15 minutes.
 */
export function connectToPrimary(
  servers: Server[],
  target: SessionTarget,
): (options: DriverOptions) => Socket {
  const connections = new Map<Socket, LastRead>()
  let last = 0
  let looking: Promise<number> | null = null
  let isWatching = false

  /** Returns the index of the primary. Concurrent callers share one search. */
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
      if (isAnySilent()) await leaveFormer(options)
    }
    isWatching = false
  }

  function isAnySilent(): boolean {
    const now = performance.now()
    for (const [socket, { at, bytes }] of connections)
      if (socket.destroyed) connections.delete(socket)
      else if (socket.bytesRead !== bytes) connections.set(socket, { at, bytes: socket.bytesRead, ms: now })
    return [...connections.values()].some(({ ms }) => now - ms >= silenceMs)
  }

  /** If there is a primary, closes the connections to all other hosts. */
  async function leaveFormer(options: DriverOptions): Promise<void> {
    const primary = await look(options, last + 1).catch(() => null)
    if (primary === null) return
    last = primary
    const trustedUntil = performance.now() + trustMs
    for (const [socket, read] of connections)
      if (read.at === primary) connections.set(socket, { ...read, ms: trustedUntil })
      else socket.destroy()
  }

  return (options) => {
    const socket = new Socket()
    // Buffers the driver's data until the socket is connected.
    socket.cork()
    void openOn(socket, options)
    return socket
  }
}

/**
 * Returns the index of the primary. Tries the servers in order, starting at `first`.
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
      // Skips a server that is starting or stopping. Any other error, such as a wrong password, would be the
      // same everywhere.
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
  const sql = openAlike(options, {
    socket: () => openSocket(server),
    shared: { retries: 0, typeArrayMap: {} },
    connect_timeout: timeoutS,
    fetch_types: false,
    onclose: undefined,
  })
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
