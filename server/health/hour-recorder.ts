import type { Logger } from 'pino'
import type { Database } from '#db/client.ts'
import { BufferedCounter } from '../admission/buffered-counter.ts'
import { causeOf } from '../errors.ts'
import { addToHour } from './hour-store.ts'

/** Records the work of the service's processes by hour. */
export interface HourRecorder {
  /** Counts a request with a token and its `status`. */
  request(status: number): void
  /** Counts an attempt of a delivery. */
  attempt(isDelivered: boolean): void
  /** Persists the remaining counts. */
  stop(): Promise<void>
}

// Counts belong to the hour in which they are stored, so one key is enough.
const now = 0

/** Returns a recorder that persists in batches. */
export function recordHours(db: Database, log: Pick<Logger, 'warn'>): HourRecorder {
  const done = new BufferedCounter(
    { requests: 0, errors: 0, attempts: 0, failures: 0 },
    (counts) => addToHour(db, counts.get(now)!),
    (error) => log.warn({ error: causeOf(error) }, 'failed to persist the figures of the hour'),
  )
  return {
    request: (status) => done.add(now, { requests: 1, errors: status >= 400 ? 1 : 0 }),
    attempt: (isDelivered) => done.add(now, { attempts: 1, failures: isDelivered ? 0 : 1 }),
    stop: () => done.stop(),
  }
}
