import type { Logger } from 'pino'
import { causeOf } from '../protocol/errors.ts'
import { secondMs } from '../protocol/units.ts'
import { withTimeout } from '../protocol/with-timeout.ts'
import type { AskedLease, UnusedLease } from '../tokens/rate-store.ts'
import {
  type Allowance,
  type GrantedLease,
  addLease,
  isUsedUp,
  keptMost,
  leaseSize,
  newAllowance,
  reclaim,
  remainingOf,
  renew,
  take,
} from '../tokens/rate.ts'

/** A counted request. */
export interface CountedRequest {
  /** Whether it exceeds the limit. */
  isOver: boolean
  /** How many requests are left in this window. */
  remaining: number
  /** When the window ends, from now. */
  resetMs: number
}

/** What all processes lease requests from. */
export interface LeaseStore {
  lease(asked: AskedLease[]): Promise<(GrantedLease & { owner: string })[]>
  giveBack(unused: UnusedLease[]): Promise<void>
}

/** How long a request waits for a lease; then this process counts alone for a while. */
const patienceMs = 500
const aloneMs = secondMs
/** How often it is asked again whether others have given back what they did not use. */
const askAgainMs = secondMs
/** How long a lease that is not used is held. */
const idleMs = secondMs

interface Counted extends Allowance {
  waiting: number
  /** Whether a lease is on its way, perhaps late. */
  isAwaited: boolean
  askedAt: number
  countedAt: number
}

/**
 * Counts requests against limits that hold for all processes together, without asking the database for each: it leases
 * slices of the limits. A process that dies loses what it has leased in this window. Without the database each process
 * counts alone, up to the whole limit.
 */
export class RateLeases {
  readonly #store: LeaseStore
  readonly #log: Pick<Logger, 'warn'>
  readonly #allowances = new Map<string, Counted>()
  #asked = new Set<string>()
  /** The statement that is underway, and the one that follows it with all that is asked meanwhile. */
  #underway: Promise<void> = Promise.resolve()
  #next: Promise<void> | null = null
  #sweeping: NodeJS.Timeout | undefined

  constructor(store: LeaseStore, log: Pick<Logger, 'warn'>) {
    this.#store = store
    this.#log = log
  }

  /** Counts a request of `owner`, who has `max` in a window. Asks the database only when another slice is needed. */
  async count(owner: string, max: number): Promise<CountedRequest> {
    const now = performance.now()
    const allowance = this.#allowanceOf(owner, max, now)
    allowance.countedAt = now
    if (take(allowance, now)) return counted(allowance, false, now)
    if (!isUsedUp(allowance, now)) return this.#waitAndCount(owner, allowance)
    if (now - allowance.askedAt > askAgainMs) void this.#ask(owner)
    return counted(allowance, true, now)
  }

  /** Gives back what is not used. */
  async stop(): Promise<void> {
    clearInterval(this.#sweeping)
    await this.#underway
    await this.#giveBack([...this.#allowances.keys()])
    this.#allowances.clear()
  }

  #allowanceOf(owner: string, max: number, now: number): Counted {
    let allowance = this.#allowances.get(owner)
    if (allowance === undefined) {
      allowance = {
        ...newAllowance(max, now),
        waiting: 0,
        isAwaited: false,
        askedAt: -Infinity,
        countedAt: now,
      }
      this.#allowances.set(owner, allowance)
      this.#sweeping ??= setInterval(() => this.#sweep(), idleMs).unref()
    }
    renew(allowance, now)
    if (now < allowance.aloneUntil && now - allowance.askedAt > askAgainMs) void this.#ask(owner)
    return allowance
  }

  async #waitAndCount(owner: string, allowance: Counted): Promise<CountedRequest> {
    allowance.waiting++
    try {
      for (;;) {
        await this.#ask(owner)
        const now = performance.now()
        renew(allowance, now)
        if (take(allowance, now)) return counted(allowance, false, now)
        if (isUsedUp(allowance, now)) return counted(allowance, true, now)
      }
    } finally {
      allowance.waiting--
    }
  }

  /** Resolves when what `owner` needs was asked for, in whatever way that ended. */
  #ask(owner: string): Promise<void> {
    this.#asked.add(owner)
    this.#next ??= this.#underway.then(() => {
      const owners = [...this.#asked]
      this.#asked = new Set()
      this.#next = null
      this.#underway = this.#lease(owners)
      return this.#underway
    })
    return this.#next
  }

  async #lease(owners: string[]): Promise<void> {
    const now = performance.now()
    const due = new Map<string, Counted>()
    for (const owner of owners) {
      const allowance = this.#allowances.get(owner)
      if (allowance === undefined) continue
      allowance.askedAt = now
      // Asked for again, what comes late would be leased twice.
      if (allowance.isAwaited) allowance.aloneUntil = now + aloneMs
      else due.set(owner, allowance)
    }
    if (due.size === 0) return
    try {
      await withTimeout(this.#leaseFor(due), patienceMs, tooLate)
    } catch (error) {
      this.#log.warn({ error: causeOf(error) }, 'requests are counted by this process alone')
      const until = performance.now() + aloneMs
      for (const allowance of due.values()) allowance.aloneUntil = until
    }
  }

  /** Leases what these owners need, and adds it when it comes, however late. */
  async #leaseFor(allowances: ReadonlyMap<string, Counted>): Promise<void> {
    const asked = [...allowances].map(([owner, allowance]) => {
      allowance.isAwaited = true
      return { owner, max: allowance.max, want: leaseSize(allowance, allowance.waiting) }
    })
    try {
      const leases = await this.#store.lease(asked)
      const now = performance.now()
      for (const { owner, ...lease } of leases) addLease(allowances.get(owner)!, lease, now)
    } finally {
      for (const allowance of allowances.values()) allowance.isAwaited = false
    }
  }

  /** Gives back what has not been used for a while, and forgets windows that have ended. */
  #sweep(): void {
    const now = performance.now()
    const idle: string[] = []
    for (const [owner, allowance] of this.#allowances) {
      if (now >= allowance.endsAt && allowance.waiting === 0 && !allowance.isAwaited)
        this.#allowances.delete(owner)
      else if (
        now - allowance.countedAt >= idleMs &&
        allowance.leased - allowance.used > keptMost(allowance.max)
      )
        idle.push(owner)
    }
    if (idle.length > 0) void this.#giveBack(idle)
    if (this.#allowances.size > 0) return
    clearInterval(this.#sweeping)
    this.#sweeping = undefined
  }

  async #giveBack(owners: string[]): Promise<void> {
    const unused = owners.flatMap((owner) => {
      const allowance = this.#allowances.get(owner)!
      const { window } = allowance
      const count = reclaim(allowance)
      return window === null || count === 0 ? [] : [{ owner, window, unused: count }]
    })
    // What is not given back is lost until the window ends.
    if (unused.length > 0)
      await this.#store
        .giveBack(unused)
        .catch((error: unknown) =>
          this.#log.warn({ error: causeOf(error) }, 'unused requests are not given back'),
        )
  }
}

const counted = (allowance: Allowance, isOver: boolean, now: number): CountedRequest => ({
  isOver,
  remaining: remainingOf(allowance, now),
  resetMs: Math.max(0, allowance.endsAt - now),
})

const tooLate = () => {
  throw new Error('the database does not answer in time')
}
