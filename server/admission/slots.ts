import { AsyncLocalStorage } from 'node:async_hooks'
import { type ApiError, unavailable } from '../errors.ts'
import { secondMs } from '../values/units.ts'
import { Admission, type AdmissionLimits, type Caller, type Work } from './admission.ts'

const root = globalThis as { partnerDeals?: Map<string, unknown> }

/**
 * Returns this process's value for a name, and creates it on the first call. Next.js loads a second instance
 * of each module into the process; both instances get the same value.
 */
export function oneInProcess<T>(name: string, make: () => T): T {
  const values = (root.partnerDeals ??= new Map())
  if (!values.has(name)) values.set(name, make())
  return values.get(name) as T
}

/** Numbers of admitted, waiting and refused items of work by kind of caller. */
export type SlotCounts = Record<Caller['kind'], { admitted: number; waiting: number; refused: number }>

interface Waiting extends Work {
  begin: () => void
}

interface Wait {
  /** Returns the error to throw if the work is refused or does not get a slot in time. */
  refusal?: () => ApiError
  waitMaxMs: number
}

/** A slot that has been taken or is being waited for. */
interface Slot {
  /**
   * Resolves when the work may start; undefined if the work may start immediately. Rejects after a timeout or
   * after `withdraw`.
   */
  ready: Promise<void> | undefined
  release: () => void
  withdraw: () => void
}

/** Slots for work, which `Admission` divides fairly among callers. */
export class Slots {
  readonly counts: SlotCounts = {
    partner: { admitted: 0, waiting: 0, refused: 0 },
    staff: { admitted: 0, waiting: 0, refused: 0 },
    anonymous: { admitted: 0, waiting: 0, refused: 0 },
  }
  readonly #admission: Admission<Waiting>

  constructor(limits: AdmissionLimits) {
    this.#admission = new Admission(limits)
  }

  get running(): number {
    return this.#admission.running
  }

  runningOf(caller: Caller): number {
    return this.#admission.runningOf(caller)
  }

  /** Takes a slot, or waits for one. @throws ApiError if too much work is waiting */
  acquire(caller: Caller, isLong: boolean, { refusal = unavailable, waitMaxMs }: Wait): Slot {
    const counts = this.counts[caller.kind]
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const work: Waiting = { caller, isLong, begin: resolve }
    let isHeld = false
    const release = () => {
      if (!isHeld) return
      isHeld = false
      for (const next of this.#admission.end(work)) next.begin()
    }
    const offered = this.#admission.offer(work)
    if (offered === 'begins') {
      counts.admitted++
      isHeld = true
      return { ready: undefined, release, withdraw: () => {} }
    }
    if (offered === 'refused') {
      counts.refused++
      throw refusal()
    }
    counts.waiting++
    const endWait = () => {
      counts.waiting--
      clearTimeout(timer)
      isWaiting = false
    }
    let isWaiting = true
    const withdraw = () => {
      if (!isWaiting) return
      endWait()
      counts.refused++
      this.#admission.withdraw(work)
      reject(refusal())
    }
    const timer = setTimeout(withdraw, waitMaxMs)
    work.begin = () => {
      endWait()
      counts.admitted++
      isHeld = true
      resolve()
    }
    return { ready: promise, release, withdraw }
  }

  /**
   * Runs the work in a slot. If `signal` aborts while the work is waiting for the slot, the work does not
   * run.
   * @throws ApiError like `acquire`
   */
  async run<T>(caller: Caller, work: () => Promise<T>, wait: Wait & { signal?: AbortSignal }): Promise<T> {
    const { ready, release, withdraw } = this.acquire(caller, false, wait)
    if (ready !== undefined) {
      wait.signal?.addEventListener('abort', withdraw)
      await ready.finally(() => wait.signal?.removeEventListener('abort', withdraw))
    }
    try {
      return await work()
    } finally {
      release()
    }
  }
}

/** A running request, which its database statements belong to. */
export class RequestWork {
  readonly caller: Caller
  #isCancelled = false
  #isOver = false
  #abandoning: AbortController | undefined
  readonly #cancels = new Set<() => void>()

  constructor(caller: Caller) {
    this.caller = caller
  }

  /** True if further statements are rejected because nobody is waiting for the response. */
  get isCancelled(): boolean {
    return this.#isCancelled
  }

  /**
   * Aborts when nobody is waiting for the response any more. Created on demand, because few requests need a
   * signal.
   */
  get abandoned(): AbortSignal {
    return (this.#abandoning ??= new AbortController()).signal
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /**
   * Records that nobody is waiting for the response any more. Further statements still run, so that a change
   * can be completed.
   */
  abandon(): void {
    if (this.#isOver) return
    this.#abandoning ??= new AbortController()
    this.#abandoning.abort()
  }

  /** Abandons the request and cancels its running statements. Does nothing once the request has ended. */
  cancel(): void {
    if (this.#isCancelled || this.#isOver) return
    this.#isCancelled = true
    this.abandon()
    for (const cancel of this.#cancels) cancel()
    this.#cancels.clear()
  }

  end(): void {
    this.#isOver = true
    this.#cancels.clear()
  }

  /**
   * Registers a callback for when the request is cancelled. Returns a function that unregisters the callback.
   */
  whenCancelled(cancel: () => void): () => void {
    this.#cancels.add(cancel)
    return () => this.#cancels.delete(cancel)
  }
}

/** The context of the running code: its request, whether it may take long, and its transaction. */
interface Underway {
  work: RequestWork
  isLong: boolean
  transaction: AdmittedStatement | null
}

const underway = oneInProcess('underway', () => new AsyncLocalStorage<Underway | null>())

/** Returns the current request, or null outside of requests. */
export function currentWork(): RequestWork | null {
  const work = underway.getStore()?.work
  return work === undefined || work.isOver ? null : work
}

/** Runs a function as part of a request. */
export const withinWork = <T>(work: RequestWork, run: () => T): T =>
  underway.run({ work, isLong: false, transaction: null }, run)

/** Runs a part of a request that may take much longer than usual. */
export function asLongWork<T>(run: () => T): T {
  const store = underway.getStore()
  return store == null ? run() : underway.run({ ...store, isLong: true }, run)
}

/**
 * Runs work that several requests share or that outlives the current request. The work does not occupy a
 * caller's slot and is not cancelled with the request.
 */
export const outsideRequest = <T>(run: () => T): T => underway.run(null, run)

/** Maximum time that a statement waits for a slot. */
const statementWaitMs = 15 * secondMs

/**
 * Admits the database statements of requests, fairly by caller. Statements of the process itself run
 * immediately.
 */
export class StatementGate {
  readonly slots: Slots

  constructor(limits: AdmissionLimits) {
    this.slots = new Slots(limits)
  }

  /** Returns the admission of a statement or transaction, or null if none is needed. */
  admit(): AdmittedStatement | null {
    const store = underway.getStore()
    if (store == null || store.transaction?.isUnderway === true) return null
    return new AdmittedStatement(this.slots, store)
  }
}

class AdmittedStatement {
  readonly #slots: Slots
  readonly #store: Underway
  #release: () => void = () => {}
  #forget: () => void = () => {}
  isUnderway = true

  constructor(slots: Slots, store: Underway) {
    this.#slots = slots
    this.#store = store
  }

  /**
   * Takes a slot. Returns a promise only if the statement has to wait.
   * @throws ApiError like `acquire`, or if cancelled
   */
  begin(): Promise<void> | undefined {
    const { work, isLong } = this.#store
    if (work.isCancelled) throw unavailable()
    const { ready, release, withdraw } = this.#slots.acquire(work.caller, isLong, {
      waitMaxMs: statementWaitMs,
    })
    this.#release = release
    return ready === undefined ? undefined : ready.finally(work.whenCancelled(withdraw))
  }

  /** Registers a callback for when the request is cancelled before `end`. */
  whenCancelled(cancel: () => void): void {
    this.#forget = this.#store.work.whenCancelled(cancel)
  }

  /** Returns the error to throw if the request is cancelled, or null. */
  problem(): Error | null {
    return this.#store.work.isCancelled ? unavailable() : null
  }

  end(): void {
    this.isUnderway = false
    this.#forget()
    this.#release()
  }

  /** Runs a transaction whose statements share this slot. */
  within<T>(run: () => T): T {
    return underway.run({ ...this.#store, transaction: this }, run)
  }
}
