import type { Logger } from 'pino'
import type { Database } from '#db/client.ts'
import { causeOf } from '../protocol/errors.ts'
import { type Done, addToHour } from './hour-store.ts'

/** Records what the processes of the service do by hour. */
export interface HourRecorder {
  /** Counts a request with a token and its `status`. */
  request(status: number): void
  /** Counts an attempt of a delivery. */
  attempt(isDelivered: boolean): void
  /** Persists the remaining counts. */
  stop(): Promise<void>
}

// A killed process loses at most the counts of this interval.
const writeAfterMs = 10_000

const nothing = (): Done => ({ requests: 0, errors: 0, attempts: 0, failures: 0 })

/** Returns a recorder that persists by one statement a while after the first count; an idle process does nothing. */
export function recordHours(db: Database, log: Pick<Logger, 'warn'>): HourRecorder {
  let done = nothing()
  let timer: NodeJS.Timeout | undefined
  let writing = Promise.resolve()

  function add(more: Partial<Done>): void {
    for (const name of Object.keys(more) as (keyof Done)[]) done[name] += more[name] ?? 0
    timer ??= setTimeout(write, writeAfterMs)
  }

  function write(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    writing = writing.then(writeDone)
    return writing
  }

  async function writeDone(): Promise<void> {
    const written = done
    if (Object.values(written).every((count) => count === 0)) return
    done = nothing()
    try {
      await addToHour(db, written)
    } catch (error) {
      log.warn({ error: causeOf(error) }, 'failed to persist hourly figures')
      add(written)
    }
  }

  return {
    request(status) {
      done.requests++
      if (status >= 400) done.errors++
      timer ??= setTimeout(write, writeAfterMs)
    },
    attempt: (isDelivered) => add({ attempts: 1, failures: isDelivered ? 0 : 1 }),
    async stop() {
      await write()
      clearTimeout(timer)
    },
  }
}
