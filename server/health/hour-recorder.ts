import type { Logger } from 'pino'
import type { Database } from '#db/client.ts'
import { BufferedCounter } from '../admission/buffered-counter.ts'
import { causeOf } from '../errors.ts'
import { addToHour } from './hour-store.ts'

/** Records how much work this process does per hour. */
export interface HourRecorder {
  /** Counts a request with a token by the response's `status`. */
  request(status: number): void
  /** Counts a delivery attempt. */
  attempt(isDelivered: boolean): void
  /** Persists all counts that have not been persisted yet. */
  stop(): Promise<void>
}

// Counts are added to the hour in which they are persisted, so a single key is enough.
const now = 0

/** Returns a recorder that persists counts in batches. */
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
