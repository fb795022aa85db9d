import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase } from '#db/client.ts'
import { hostsText } from '#db/database-url.ts'
import { causeOf, isDatabaseAway, readOnly } from '../protocol/errors.ts'
import { secondMs } from '../protocol/units.ts'

// How long to rest between two attempts.
const restMs = 500

/** What codes of a connection mean, for the operator. */
const reasons: Record<string, string> = {
  ECONNREFUSED: 'nothing accepts connections there',
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
 * Waits until the database at `url` accepts writes, for `waitS` seconds at most, and says so if it takes longer
 * than one attempt.
 * @throws Error with a sentence for the operator: at once when waiting does not help, else when the time is
 * over or the process is `stopping`
 */
export async function waitForDatabase(
  url: string,
  waitS: number,
  say: (message: string) => void,
  stopping: Promise<void> = new Promise(() => {}),
): Promise<void> {
  const until = performance.now() + waitS * secondMs
  let isStopping = false
  const stopped = stopping.then(() => {
    isStopping = true
  })
  for (let attempt = 1; ; attempt++) {
    const error = await Promise.race([attemptWrite(url), stopped])
    if (isStopping) throw new Error('Stopped while waiting for the database.')
    if (error === undefined) return
    const reason = reasonOf(error)
    const mayPass = isDatabaseAway(error) || error instanceof ReadOnly
    if (!mayPass || performance.now() >= until)
      throw new Error(
        `The database at ${hostsText(url)} cannot be used${mayPass ? ` after ${waitS} seconds` : ''}: ${reason}.`,
      )
    if (attempt === 1) say(`Waiting up to ${waitS} seconds for the database at ${hostsText(url)}: ${reason}.`)
    await Promise.race([sleep(restMs), stopped])
  }
}

/** Returns why the database does not accept writes, or undefined if it does. */
async function attemptWrite(url: string): Promise<unknown> {
  const { $client: sql } = openDatabase(url, 1)
  try {
    const [row] = await sql<[{ transaction_read_only: string }]>`show transaction_read_only`
    return row.transaction_read_only === 'on' ? new ReadOnly() : undefined
  } catch (error) {
    return error
  } finally {
    await sql.end({ timeout: 1 })
  }
}

const reasonOf = (error: unknown) => reasons[(error as { code?: string }).code ?? ''] ?? causeOf(error)
