import type { Refusal } from './errors.ts'

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

export const makeTurns = (limits: Omit<Turns, 'underway' | 'waiting'>): Turns => ({
  ...limits,
  underway: 0,
  waiting: new Set(),
})

interface Patience {
  /** Returns the error for work whose turn does not come. */
  refusal: () => Refusal
  /** Ends the wait. */
  signal?: AbortSignal | undefined
}

/**
 * Begins a turn, which `endTurn` ends. Returns nothing when one is free, else a promise of it.
 * @throws Refusal the given one when the queue is full, the wait takes too long, or `signal` is aborted while waiting
 */
export function beginTurn(turns: Turns, patience: Patience): Promise<void> | undefined {
  if (patience.signal?.aborted === true) throw patience.refusal()
  // A turn is handed over below, so that nothing gets in between.
  if (turns.underway >= turns.atOnce) return wait(turns, patience)
  turns.underway++
  return undefined
}

/** Ends a turn; the next in the queue has it. */
export function endTurn(turns: Turns): void {
  const [next] = turns.waiting
  if (next === undefined) turns.underway--
  else next()
}

/**
 * Does the work when its turn comes.
 * @throws Refusal as `beginTurn` does
 */
export async function takeTurn<T>(turns: Turns, work: () => Promise<T>, patience: Patience): Promise<T> {
  const turn = beginTurn(turns, patience)
  if (turn !== undefined) await turn
  try {
    return await work()
  } finally {
    endTurn(turns)
  }
}

function wait({ waiting, waitingMax, waitMaxMs }: Turns, { refusal, signal }: Patience): Promise<void> {
  if (waiting.size >= waitingMax) throw refusal()
  return new Promise((resolve, reject) => {
    const end = (settle: () => void) => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', giveUp)
      waiting.delete(begin)
      settle()
    }
    const begin = () => end(resolve)
    const giveUp = () => end(() => reject(refusal()))
    const timer = setTimeout(giveUp, waitMaxMs)
    signal?.addEventListener('abort', giveUp)
    waiting.add(begin)
  })
}

/** Returns the work as a function that gives the work in progress while there is some, and else begins it. */
export function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null
  return () =>
    (running ??= work().finally(() => {
      running = null
    }))
}
