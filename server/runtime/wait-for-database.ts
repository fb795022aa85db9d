import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, openDatabase, openPooledDatabase } from '#db/client.ts'
import { hostsText } from '#db/database-url.ts'
import { causeOf, isDatabaseAway, readOnly } from '../errors.ts'
import { secondMs } from '../values/units.ts'
import type { Config } from './env.ts'

// The pause between two attempts.
const restMs = 500

/** After this time without a connection, the operator is told. */
const silentMs = 2 * secondMs

/** Connection error codes, explained to the operator. */
const reasons: Record<string, string> = {
  ECONNREFUSED: 'nothing accepts connections there',
  ENOENT: 'there is no such socket: PostgreSQL is not running',
  CONNECT_TIMEOUT: 'it does not answer',
  CONNECTION_CLOSED: 'it hangs up',
  ENOTFOUND: 'the host name is unknown',
  '57P03': 'PostgreSQL is starting or recovering',
  '28P01': 'the password is wrong',
  '28000': 'the user may not connect',
  '3D000': 'there is no such database',
}

class ReadOnly extends Error {
  readonly code = readOnly
}

/**
 * Waits until the configured database accepts writes, both directly and through its pooler, for at most
 * `databaseWaitS` seconds each, with a message if it takes long or several attempts.
 * @throws Error with a sentence for the operator: at once if waiting does not help, or else when the time is
 * over or the process is `stopping`
 */
export async function waitForDatabase(
  {
    databaseUrl,
    databaseDirectUrl,
    databaseWaitS,
  }: Pick<Config, 'databaseUrl' | 'databaseDirectUrl' | 'databaseWaitS'>,
  say: (message: string) => void,
  stopping: Promise<void> = new Promise(() => {}),
): Promise<void> {
  if (databaseUrl === undefined || databaseDirectUrl === undefined) return
  const wait = (url: string, open: () => Database) =>
    waitFor({ url, open, waitS: databaseWaitS, say, stopping })
  await wait(databaseDirectUrl, () => openDatabase(databaseDirectUrl, 1))
  if (databaseUrl !== databaseDirectUrl)
    await wait(databaseUrl, () => openPooledDatabase(databaseUrl, databaseDirectUrl))
}

async function waitFor({
  url,
  open,
  waitS,
  say,
  stopping,
}: {
  url: string
  open: () => Database
  waitS: number
  say: (message: string) => void
  stopping: Promise<void>
}): Promise<void> {
  const until = performance.now() + waitS * secondMs
  let isStopping = false
  const stopped = stopping.then(() => {
    isStopping = true
  })
  let isSaid = false
  const sayOnce = (reason: string) => {
    if (!isSaid) say(`Waiting up to ${waitS} seconds for the database at ${hostsText(url)}: ${reason}.`)
    isSaid = true
  }
  for (;;) {
    const silent = setTimeout(sayOnce, silentMs, reasons['CONNECT_TIMEOUT'])
    const error = await Promise.race([attemptWrite(open), stopped])
    clearTimeout(silent)
    if (isStopping) throw new Error('Stopped while waiting for the database.')
    if (error === undefined) return
    const reason = reasonOf(error)
    const mayPass = (isDatabaseAway(error) && !isUnsupported(error)) || error instanceof ReadOnly
    if (!mayPass || performance.now() >= until)
      throw new Error(
        `The database at ${hostsText(url)} cannot be used${mayPass ? ` after ${waitS} seconds` : ''}: ${reason}.`,
      )
    sayOnce(reason)
    await Promise.race([sleep(restMs), stopped])
  }
}

/** Returns the reason that the database rejects writes, or undefined. */
async function attemptWrite(open: () => Database): Promise<unknown> {
  const { $client: sql } = open()
  try {
    const [row] = await sql<[{ transaction_read_only: string }]>`show transaction_read_only`
    return row.transaction_read_only === 'on' ? new ReadOnly() : undefined
  } catch (error) {
    return error
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/** Returns whether a pooler rejects a session setting. */
const isUnsupported = (error: unknown) =>
  error instanceof Error && error.message.includes('unsupported startup parameter')

/** Returns whether a server without TLS hung up on a client that requested it. */
const isWithoutTls = (error: unknown) =>
  error instanceof Error && error.message.includes('before secure TLS connection was established')

function reasonOf(error: unknown): string {
  if (isUnsupported(error))
    return 'it is a pooler, for which DATABASE_DIRECT_URL has to lead to the database itself'
  if (isWithoutTls(error)) return 'it does not offer TLS, which sslmode in its URL requires'
  return reasons[(error as { code?: string }).code ?? ''] ?? causeOf(error)
}
