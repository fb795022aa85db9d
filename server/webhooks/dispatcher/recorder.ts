import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Database } from '#db/client.ts'
import { causeOf, toApiError } from '../../errors.ts'
import { type Recorded, recordAttempts } from '../queue-store.ts'

export interface Recorder {
  /** Resolves when the result is recorded. Waits while the database is down. */
  record(result: Recorded): Promise<void>
  /** Stops recording and discards pending results. */
  stop(): void
}

export interface RecorderOptions {
  /** How long all attempts must have failed before an endpoint is disabled, in milliseconds. */
  failingMs: number
  log: Logger
}

// Long enough to batch responses to requests sent together, but too short to delay the next event of a deal.
export const gatherMs = 5

// Minimum and maximum pause between two attempts while the database is down.
const pauseMinMs = 50
const pauseMaxMs = 1000

// A batch of this size is recorded immediately.
const batchSize = 16

/** Returns a recorder that batches results arriving at about the same time or while it is busy. */
export function makeRecorder(db: Database, { failingMs, log }: RecorderOptions): Recorder {
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
    for (let pauseMs = pauseMinMs; !stopped; pauseMs = Math.min(2 * pauseMs, pauseMaxMs)) {
      try {
        const { ids, switchedOff } = await recordAttempts(db, results, failingMs)
        for (const { id } of results)
          if (!ids.has(id)) log.warn({ delivery: id }, 'attempt result discarded: lease lost')
        for (const { partnerId, kind, because } of switchedOff)
          log.warn({ partner: partnerId, kind, because }, 'endpoint switched off')
        return
      } catch (error) {
        if (toApiError(error).code === 'SERVICE_UNAVAILABLE' || isDeadlock(error)) await sleep(pauseMs)
        else return recordApart(results, error)
      }
    }
  }

  /**
   * Records results one by one, so that an invalid result does not block others. The invalid result is
   * recorded without its response.
   */
  async function recordApart(results: Recorded[], error: unknown): Promise<void> {
    if (results.length > 1) return void (await Promise.all(results.map((result) => recordAll([result]))))
    const [result] = results as [Recorded]
    log.error({ delivery: result.id, error: causeOf(error) }, 'failed to record attempt')
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

// PostgreSQL ends one of two deadlocked transactions, so a retry is not blocked.
const isDeadlock = (error: unknown) => error instanceof Error && 'code' in error && error.code === '40P01'
