import type { Logger } from 'pino'
import type { Database } from '#db/client.ts'
import { causeOf } from '../protocol/errors.ts'
import { dayMs } from '../protocol/units.ts'
import { type DayUse, addUses } from './usage-store.ts'

/** Counts the requests of tokens. */
export interface Usage {
  /** Counts a request of a token and its `status`. */
  count(tokenId: number, status: number): void
  /** Persists the remaining counts. */
  stop(): Promise<void>
}

// A killed process loses at most the counts of this interval.
const writeAfterMs = 10_000

/**
 * Returns a counter that persists in batches, by one statement a while after the first request: requests wait
 * for nothing, and an idle process does nothing.
 */
export function makeUsage(db: Database, log: Logger): Usage {
  /** By token and day. */
  let uses = new Map<number, DayUse>()
  let timer: NodeJS.Timeout | undefined
  let writing = Promise.resolve()

  function add(tokenId: number, dayNumber: number, requests: number, errors: number): void {
    const key = dayNumber * 2 ** 32 + tokenId
    const use = uses.get(key)
    if (use === undefined) {
      uses.set(key, { tokenId, dayNumber, requests, errors })
      timer ??= setTimeout(write, writeAfterMs)
    } else {
      use.requests += requests
      use.errors += errors
    }
  }

  function write(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    writing = writing.then(writeAll)
    return writing
  }

  async function writeAll(): Promise<void> {
    if (uses.size === 0) return
    const written = [...uses.values()]
    uses = new Map()
    try {
      await addUses(db, written)
    } catch (error) {
      log.warn({ error: causeOf(error) }, 'failed to persist token usage')
      for (const { tokenId, dayNumber, requests, errors } of written)
        add(tokenId, dayNumber, requests, errors)
    }
  }

  return {
    count: (tokenId, status) => add(tokenId, Math.floor(Date.now() / dayMs), 1, status >= 400 ? 1 : 0),
    async stop() {
      await write()
      clearTimeout(timer)
    },
  }
}
