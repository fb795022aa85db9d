import type { Logger } from 'pino'
import type { Database } from '#db/client.ts'
import { causeOf } from '../protocol/errors.ts'
import { type Use, addUses } from './usage-store.ts'

/** Counts what tokens are used for. */
export interface Usage {
  /** Counts a request of a token, which was answered with `status`. */
  count(tokenId: number, status: number): void
  /** Writes down what is not yet. */
  stop(): Promise<void>
}

// A process that is killed loses the counts of so long at most.
const writeAfterMs = 10_000

const dayMs = 86_400_000

/** Counts in memory, and writes that down by one statement a while after the first: requests wait for nothing, and what is idle does nothing. */
export function makeUsage(db: Database, log: Logger): Usage {
  /** By token and day. */
  let uses = new Map<number, Use>()
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
      log.warn({ error: causeOf(error) }, 'how often tokens were used could not be written down')
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
