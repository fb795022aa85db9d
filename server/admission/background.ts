import { outsideRequest } from './slots.ts'

/** Limits of running and waiting work per kind; more is dropped. */
interface Bounds {
  atOnce: number
  waitingMax: number
}

/** The bounds of work after a response or on a timer. No other work runs in the background. */
export const backgroundBounds = {
  // Runs after responses; one piece at a time for each user or token.
  'token use': { atOnce: 2, waitingMax: 1000 },
  visit: { atOnce: 2, waitingMax: 1000 },
  'data as of': { atOnce: 1, waitingMax: 1 },
  // After responses to anonymous callers, who get the same response if it is dropped.
  'failed sign-in': { atOnce: 2, waitingMax: 200 },
  'requested link': { atOnce: 2, waitingMax: 200 },
  // The timers of the worker.
  timer: { atOnce: 20, waitingMax: 20 },
} as const satisfies Record<string, Bounds>

export type BackgroundWork = keyof typeof backgroundBounds

/**
 * Runs work after a response or on a timer, once at a time per `key`. Returns false if it is dropped because
 * too much of its kind is waiting; logs failures, and shutdown waits for it.
 */
export type Background = (kind: BackgroundWork, key: string | number, run: () => Promise<unknown>) => boolean

/** Called when work fails, or is dropped. */
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
  readonly #lanes = new Map<BackgroundWork, WorkQueue>()
  readonly #reports: Reports
  readonly #running = new Set<Promise<void>>()

  constructor(reports: Reports) {
    this.#reports = reports
  }

  readonly add: Background = (kind, key, run) => {
    const lane = this.#laneOf(kind)
    // This work is already queued.
    if (lane.underway.has(key) || lane.waiting.has(key)) return true
    const { atOnce, waitingMax } = backgroundBounds[kind]
    if (lane.underway.size < atOnce) this.#start(kind, lane, key, run)
    else if (lane.waiting.size < waitingMax) lane.waiting.set(key, run)
    else {
      lane.dropped++
      this.#reports.dropped(kind)
      return false
    }
    return true
  }

  /** Returns waiting and dropped work by kind since start. */
  readonly counts = (): { kind: BackgroundWork; waiting: number; dropped: number }[] =>
    Object.keys(backgroundBounds).map((name) => {
      const kind = name as BackgroundWork
      const lane = this.#lanes.get(kind)
      return { kind, waiting: lane?.waiting.size ?? 0, dropped: lane?.dropped ?? 0 }
    })

  /** Resolves when nothing runs or waits. */
  async done(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running)
  }

  #laneOf(kind: BackgroundWork): WorkQueue {
    const lane = this.#lanes.get(kind) ?? { underway: new Set(), waiting: new Map(), dropped: 0 }
    this.#lanes.set(kind, lane)
    return lane
  }

  #start(kind: BackgroundWork, lane: WorkQueue, key: string | number, run: () => Promise<unknown>): void {
    lane.underway.add(key)
    const running = this.#run(kind, run).then(() => {
      lane.underway.delete(key)
      this.#running.delete(running)
      const [next] = lane.waiting
      if (next === undefined) return
      lane.waiting.delete(next[0])
      this.#start(kind, lane, ...next)
    })
    this.#running.add(running)
  }

  async #run(kind: BackgroundWork, run: () => Promise<unknown>): Promise<void> {
    try {
      // Background work neither waits for the slots of the request that started it nor ends with that
      // request.
      await outsideRequest(run)
    } catch (error) {
      this.#reports.failed(kind, error)
    }
  }
}
