import { Refusal } from '../../protocol/errors.ts'

/** A queue of work, first come, first served. */
export interface Turns {
  /** How much runs at a time. */
  atOnce: number
  /** How much may wait; more is rejected at once. */
  waitingMax: number
  waitMaxMs: number
  underway: number
  /** Starts each waiting piece of work, in order of arrival. */
  waiting: Set<() => void>
}

export const makeTurns = (limits: Pick<Turns, 'atOnce' | 'waitingMax' | 'waitMaxMs'>): Turns => ({
  ...limits,
  underway: 0,
  waiting: new Set(),
})

/** Returns the error for a full queue; only passwords are queued. */
export const busy = () =>
  new Refusal(
    'SERVICE_UNAVAILABLE',
    'Too many people are signing in right now. Try again in a few seconds.',
    { headers: { 'Retry-After': '5' } },
  )

/**
 * Does the work when its turn comes.
 * @throws Refusal 503 when the queue is full, the wait takes too long, or `signal` is aborted while waiting
 */
export async function takeTurn<T>(turns: Turns, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  if (signal?.aborted === true) throw busy()
  // A turn is handed over below, so that nothing gets in between.
  if (turns.underway < turns.atOnce) turns.underway++
  else await wait(turns, signal)
  try {
    return await work()
  } finally {
    const [next] = turns.waiting
    if (next === undefined) turns.underway--
    else next()
  }
}

function wait({ waiting, waitingMax, waitMaxMs }: Turns, signal: AbortSignal | undefined): Promise<void> {
  if (waiting.size >= waitingMax) throw busy()
  return new Promise((resolve, reject) => {
    const end = (settle: () => void) => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', giveUp)
      waiting.delete(begin)
      settle()
    }
    const begin = () => end(resolve)
    const giveUp = () => end(() => reject(busy()))
    const timer = setTimeout(giveUp, waitMaxMs)
    signal?.addEventListener('abort', giveUp)
    waiting.add(begin)
  })
}
