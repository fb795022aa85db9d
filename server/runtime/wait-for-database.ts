import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, openDatabase, openPooledDatabase } from '#db/client.ts'
import { hostsText } from '#db/database-url.ts'
import { causeOf, isDatabaseAway, readOnly } from '../errors.ts'
import { secondMs } from '../values/units.ts'
import type { Config } from './env.ts'

const restMs = 500

/** Time after which a message reports that there is no connection yet. */
const silentMs = 2 * secondMs

/** Explanations of connection error codes for operators. */
const reasons: Record<string, string> = {
  ECONNREFUSED: 'nothing accepts connections there',
  ENOENT: 'there is no such socket: PostgreSQL is not running',
  CONNECT_TIMEOUT: 'it does not respond',
  CONNECTION_CLOSED: 'it closes the connection',
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
 * `databaseWaitS` seconds each. Prints a message if several attempts are needed.
 * @throws Error with a sentence for the operator, immediately if waiting does not help
 */
export async function waitForDatabase(
  {
    databaseUrl,
    databaseDirectUrl,
    databaseWaitS,
  }: Pick<Config, 'databaseUrl' | 'databaseDirectUrl' | 'databaseWaitS'>,
  print: (message: string) => void,
  stopping: Promise<void> = new Promise(() => {}),
): Promise<void> {
  if (databaseUrl === undefined || databaseDirectUrl === undefined) return
  const wait = (url: string, open: () => Database) =>
    waitFor({ url, open, waitS: databaseWaitS, print, stopping })
  await wait(databaseDirectUrl, () => openDatabase(databaseDirectUrl, 1))
  if (databaseUrl !== databaseDirectUrl)
    await wait(databaseUrl, () => openPooledDatabase(databaseUrl, databaseDirectUrl))
}

async function waitFor({
  url,
  open,
  waitS,
  print,
  stopping,
}: {
  url: string
  open: () => Database
  waitS: number
  print: (message: string) => void
  stopping: Promise<void>
}): Promise<void> {
  const until = performance.now() + waitS * secondMs
  let isStopping = false
  const stopped = stopping.then(() => {
    isStopping = true
  })
  let isPrinted = false
  const printOnce = (reason: string) => {
    if (!isPrinted) print(`Waiting up to ${waitS} seconds for the database at ${hostsText(url)}: ${reason}.`)
    isPrinted = true
  }
  for (;;) {
    const silent = setTimeout(printOnce, silentMs, reasons['CONNECT_TIMEOUT'])
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
    printOnce(reason)
    await Promise.race([sleep(restMs), stopped])
  }
}

/** Returns the error that prevents writes to the database, or undefined if the database accepts writes. */
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

/** Returns true if a pooler rejected a session setting. */
const isUnsupported = (error: unknown) =>
  error instanceof Error && error.message.includes('unsupported startup parameter')

/** Returns true if a server without TLS closed a connection that requires TLS. */
const isWithoutTls = (error: unknown) =>
  error instanceof Error && error.message.includes('before secure TLS connection was established')

function reasonOf(error: unknown): string {
  if (isUnsupported(error)) return 'it is a pooler; set DATABASE_DIRECT_URL to the database itself'
  if (isWithoutTls(error)) return 'it does not offer TLS, which sslmode in its URL requires'
  return reasons[(error as { code?: string }).code ?? ''] ?? causeOf(error)
}
