import { outsideRequest } from './slots.ts'

/** Limits for one kind of work. Work beyond these limits is dropped. */
interface Bounds {
  atOnce: number
  waitingMax: number
}

/** Limits for all work that runs after a response or on a timer. */
export const backgroundBounds = {
  // Runs after responses, at most once at a time per user or token.
  'token use': { atOnce: 2, waitingMax: 1000 },
  visit: { atOnce: 2, waitingMax: 1000 },
  'data as of': { atOnce: 1, waitingMax: 1 },
  // Runs after responses to anonymous callers, who cannot tell if the work was dropped.
  'failed sign-in': { atOnce: 2, waitingMax: 200 },
  'requested link': { atOnce: 2, waitingMax: 200 },
  // Runs on the worker's timers.
  timer: { atOnce: 20, waitingMax: 20 },
} as const satisfies Record<string, Bounds>

export type BackgroundWork = keyof typeof backgroundBounds

/**
 * Runs work after a response or on a timer, one item at a time per `key`. Returns false if too much work of
 * this kind is waiting and the work was dropped. Logs failures. Shutdown waits for the work to end.
 */
export type Background = (kind: BackgroundWork, key: string | number, run: () => Promise<unknown>) => boolean

/** Callbacks for failed and for dropped work. */
interface Reports {
  failed: (kind: BackgroundWork, error: unknown) => void
  dropped: (kind: BackgroundWork) => void
}

interface WorkQueue {
  underway: Set<string | number>
  waiting: Map<string | number, () => Promise<unknown>>
  dropped: number
}

export class BackgroundQueue {
  readonly #queues = new Map<BackgroundWork, WorkQueue>()
  readonly #reports: Reports
  readonly #running = new Set<Promise<void>>()

  constructor(reports: Reports) {
    this.#reports = reports
  }

  readonly add: Background = (kind, key, run) => {
    const queue = this.#queueOf(kind)
    // Work with this key is already queued.
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

  /** Returns the number of waiting items, and of dropped items since startup, by kind. */
  readonly counts = (): { kind: BackgroundWork; waiting: number; dropped: number }[] =>
    Object.keys(backgroundBounds).map((name) => {
      const kind = name as BackgroundWork
      const queue = this.#queues.get(kind)
      return { kind, waiting: queue?.waiting.size ?? 0, dropped: queue?.dropped ?? 0 }
    })

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
      // Background work must not occupy the slot of the request that started it, and outlives that request.
      await outsideRequest(run)
    } catch (error) {
      this.#reports.failed(kind, error)
    }
  }
}
