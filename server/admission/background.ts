import { outsideRequest } from './slots.ts'

/** Limits for running and waiting work of one kind; more work is dropped. */
interface Bounds {
  atOnce: number
  waitingMax: number
}

/** The bounds of all work that runs after a response or on a timer. */
export const backgroundBounds = {
  // After responses; at most one per user or token.
  'token use': { atOnce: 2, waitingMax: 1000 },
  visit: { atOnce: 2, waitingMax: 1000 },
  'data as of': { atOnce: 1, waitingMax: 1 },
  // After responses to anonymous callers, whose response is the same if the work is dropped.
  'failed sign-in': { atOnce: 2, waitingMax: 200 },
  'requested link': { atOnce: 2, waitingMax: 200 },
  // On the worker's timers.
  timer: { atOnce: 20, waitingMax: 20 },
} as const satisfies Record<string, Bounds>

export type BackgroundWork = keyof typeof backgroundBounds

/**
 * Runs work after a response or on a timer, at most one at a time per `key`. Returns false if the work is dropped because
 * too much of its kind is waiting. Failures are logged; shutdown waits for the work.
 */
export type Background = (kind: BackgroundWork, key: string | number, run: () => Promise<unknown>) => boolean

/** Called when work fails or is dropped. */
interface Reports {
  failed: (kind: BackgroundWork, error: unknown) => void
  dropped: (kind: BackgroundWork) => void
}

interface WorkQueue {
  underway: Set<string | number>
  waiting: Map<string | number, () => Promise<unknown>>
  dropped: number
}

/** Runs work in the background within its bounds. */
export class BackgroundQueue {
  readonly #queues = new Map<BackgroundWork, WorkQueue>()
  readonly #reports: Reports
  readonly #running = new Set<Promise<void>>()

  constructor(reports: Reports) {
    this.#reports = reports
  }

  readonly add: Background = (kind, key, run) => {
    const queue = this.#queueOf(kind)
    // This work is already queued.
    if (queue.underway.has(key) || queue.waiting.has(key)) return true
    const { atOnce, waitingMax } = backgroundBounds[kind]
    if (queue.underway.size < atOnce) this.#start(kind, queue, key, run)
    else if (queue.waiting.size < waitingMax) queue.waiting.set(key, run)
    else {
      queue.dropped++
      this.#reports.dropped(kind)
      return false
    }
    return true
  }

  /** Returns waiting and dropped work by kind since start. */
  readonly counts = (): { kind: BackgroundWork; waiting: number; dropped: number }[] =>
    Object.keys(backgroundBounds).map((name) => {
      const kind = name as BackgroundWork
      const queue = this.#queues.get(kind)
      return { kind, waiting: queue?.waiting.size ?? 0, dropped: queue?.dropped ?? 0 }
    })

  /** Resolves when nothing runs or waits. */
  async done(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running)
  }

  #queueOf(kind: BackgroundWork): WorkQueue {
    const queue = this.#queues.get(kind) ?? { underway: new Set(), waiting: new Map(), dropped: 0 }
    this.#queues.set(kind, queue)
    return queue
  }

  #start(kind: BackgroundWork, queue: WorkQueue, key: string | number, run: () => Promise<unknown>): void {
    queue.underway.add(key)
    const running = this.#run(kind, run).then(() => {
      queue.underway.delete(key)
      this.#running.delete(running)
      const [next] = queue.waiting
      if (next === undefined) return
      queue.waiting.delete(next[0])
      this.#start(kind, queue, ...next)
    })
    this.#running.add(running)
  }

  async #run(kind: BackgroundWork, run: () => Promise<unknown>): Promise<void> {
    try {
      // Background work takes no slot of the request that started it, and continues after that request.
      await outsideRequest(run)
    } catch (error) {
      this.#reports.failed(kind, error)
    }
  }
}
