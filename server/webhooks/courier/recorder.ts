import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Database } from '#db/client.ts'
import { causeOf, toRefusal } from '../../protocol/errors.ts'
import { type Recorded, type SwitchedOff, recordAttempts } from './queue-store.ts'

/** What writes down what came of attempts. */
export interface Recorder {
  /** Resolves when it is written down, however long the database is away. */
  record(result: Recorded): Promise<void>
  /** What is not written down yet no longer will be. */
  stop(): void
}

export interface RecorderOptions {
  /** For how long everything must have failed for an address to be switched off, in milliseconds. */
  failingMs: number
  log: Logger
  /** Told of addresses of a partner that were switched off together, because they are the same. */
  switchedOff?: (endpoints: SwitchedOff[]) => void
}

// Long enough for the answers to requests that were sent together, too short to hold up the next event of a deal.
export const gatherMs = 5

// So many are recorded without waiting for more.
const batchSize = 8

/** Makes a recorder that records together the results that arrive within a moment, or while it is busy. */
export function makeRecorder(db: Database, { failingMs, log, switchedOff: tell }: RecorderOptions): Recorder {
  let waiting: { result: Recorded; done: () => void }[] = []
  let busy = false
  let planned: NodeJS.Timeout | undefined
  let stopped = false

  async function flush(): Promise<void> {
    planned = undefined
    busy = true
    const batch = waiting
    waiting = []
    await recordAll(batch.map(({ result }) => result))
    for (const { done } of batch) done()
    busy = false
    plan()
  }

  function plan(): void {
    if (busy || waiting.length === 0) return
    if (waiting.length < batchSize) planned ??= setTimeout(() => void flush(), gatherMs)
    else {
      clearTimeout(planned)
      void flush()
    }
  }

  async function recordAll(results: Recorded[]): Promise<void> {
    for (let pauseMs = 50; !stopped; pauseMs = Math.min(2 * pauseMs, 1000)) {
      try {
        const { ids, switchedOff } = await recordAttempts(db, results, failingMs)
        for (const { id } of results)
          if (!ids.has(id))
            log.warn(
              { delivery: id },
              'what came of an attempt was refused: another worker has the delivery, or had it recorded',
            )
        for (const { partnerId, kind, because } of switchedOff)
          log.warn({ partner: partnerId, kind, because }, 'an address was switched off')
        if (switchedOff.length > 0) tell?.(switchedOff)
        return
      } catch (error) {
        if (toRefusal(error).code === 'SERVICE_UNAVAILABLE' || isDeadlock(error)) await sleep(pauseMs)
        else return recordApart(results, error)
      }
    }
  }

  /** One that cannot be written down must not keep the others, and is written down without what the receiver said. */
  async function recordApart(results: Recorded[], error: unknown): Promise<void> {
    if (results.length > 1) return void (await Promise.all(results.map((result) => recordAll([result]))))
    const [result] = results as [Recorded]
    log.error({ delivery: result.id, error: causeOf(error) }, 'an attempt cannot be recorded')
    if (result.responseHeaders + result.responseBody !== '')
      await recordAll([{ ...result, responseHeaders: '', responseBody: '' }])
  }

  return {
    record: (result) =>
      new Promise((done) => {
        waiting.push({ result, done })
        plan()
      }),
    stop() {
      stopped = true
    },
  }
}

// The database ends one of two transactions that wait for each other; the next try of it has the way free.
const isDeadlock = (error: unknown) => error instanceof Error && 'code' in error && error.code === '40P01'
