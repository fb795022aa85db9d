import type { OutgoingHttpHeaders } from 'node:http'
import type { Logger } from 'pino'
import { type TenantScope, isEveryone } from '../accounts/partner.ts'
import { databaseTooLate, withTimeout } from '../admission/scheduling.ts'
import { outsideRequest } from '../admission/slots.ts'
import { ApiError, causeOf } from '../errors.ts'
import { rateWindowMs } from '../tokens/policy.ts'
import type { LeaseRequest, GrantedLease, UnusedLease } from '../tokens/rate-store.ts'
import { secondMs } from '../values/units.ts'

/**
 * Counts a request against the limits of its token and its partner. Sets the `X-RateLimit-*` headers for the
 * limit with fewer requests left.
 * @throws ApiError 429 if either limit is used up for this minute
 */
export type RateLimit = (
  actor: { tokenId: number; tenant: TenantScope },
  headers: OutgoingHttpHeaders,
) => Promise<void>

/** A limit and the number of requests left. */
interface Limit extends CountedRequest {
  limit: number
  owner: 'token' | 'partner'
}

/**
 * A partner's limit as a multiple of a token's limit, so that creating more tokens does not raise the rate.
 */
const partnerShare = 3

/**
 * Returns a rate limiter that is shared by all processes. Each token may send `perMinute` requests, each
 * partner three times as many; 0 means no limit.
 */
export function makeRateLimit(perMinute: number, leases: RateLeases): RateLimit {
  if (perMinute === 0) return async () => {}
  const perMinuteOfPartner = perMinute * partnerShare

  async function count({ tokenId, tenant }: Parameters<RateLimit>[0]): Promise<Limit> {
    const token = await leases.count(`token ${tokenId}`, perMinute)
    const ofToken: Limit = { ...token, limit: perMinute, owner: 'token' }
    // Requests over a token's limit must not count against the partner's other tokens.
    if (isEveryone(tenant) || token.isOver) return ofToken
    const partner = await leases.count(`partner ${tenant}`, perMinuteOfPartner)
    return partner.remaining < token.remaining || partner.isOver
      ? { ...partner, limit: perMinuteOfPartner, owner: 'partner' }
      : ofToken
  }

  return async (actor, headers) => {
    const { limit, isOver, remaining, resetMs, owner } = await count(actor)
    const resetS = Math.max(1, Math.ceil(resetMs / secondMs))
    headers['X-RateLimit-Limit'] = limit
    headers['X-RateLimit-Remaining'] = remaining
    headers['X-RateLimit-Reset'] = resetS
    if (isOver) {
      throw new ApiError('TOO_MANY_REQUESTS', `The ${owner} has used up its requests for this minute`, {
        headers: { 'Retry-After': String(resetS) },
      })
    }
  }
}

/** The state of a limit after counting a request. */
export interface CountedRequest {
  /** True if the request exceeds the limit. */
  isOver: boolean
  /** Requests left in the current window. */
  remaining: number
  /** Milliseconds until the window ends. */
  resetMs: number
}

/** Stores how many requests of each shared limit are leased to processes. */
export interface LeaseStore {
  lease(requests: LeaseRequest[]): Promise<GrantedLease[]>
  release(unused: UnusedLease[]): Promise<void>
}

/** How long a request waits for a lease. After that, this process counts without leases for `fallbackMs`. */
const leaseTimeoutMs = 500
const fallbackMs = secondMs
/** Minimum interval between attempts to lease more when a limit is used up or a lease has failed. */
const renewIntervalMs = secondMs
/** Time after which unused leased requests are returned. */
const idleMs = secondMs

interface Counted extends Allowance {
  waiting: number
  /** True while a lease statement is pending. */
  isAwaited: boolean
  askedAt: number
  countedAt: number
}

/**
 * Enforces rate limits across processes without a query per request: each process leases slices of a limit.
 * If a process is killed, its leases are lost until the window ends. If the database is unavailable, each
 * process counts up to the full limit.
 */
export class RateLeases {
  readonly #store: LeaseStore
  readonly #log: Pick<Logger, 'warn'>
  readonly #timeoutMs: number
  readonly #allowances = new Map<string, Counted>()
  #asked = new Set<string>()
  /** The running lease statement. All owners requested in the meantime share the next statement (`#next`). */
  #underway: Promise<void> = Promise.resolve()
  #next: Promise<void> | null = null
  #sweeping: NodeJS.Timeout | undefined

  constructor(store: LeaseStore, log: Pick<Logger, 'warn'>, timeoutMs = leaseTimeoutMs) {
    this.#store = store
    this.#log = log
    this.#timeoutMs = timeoutMs
  }

  /**
   * Counts a request of `owner`, whose limit is `max` requests per window. Queries the database only to lease
   * a slice.
   */
  async count(owner: string, max: number): Promise<CountedRequest> {
    const now = performance.now()
    const allowance = this.#allowanceOf(owner, max, now)
    allowance.countedAt = now
    if (take(allowance, now)) return counted(allowance, false, now)
    if (!isUsedUp(allowance, now)) return this.#waitAndCount(owner, allowance)
    if (now - allowance.askedAt > renewIntervalMs) void this.#ask(owner)
    return counted(allowance, true, now)
  }

  /** Returns all unused leases to the store. */
  async stop(): Promise<void> {
    clearInterval(this.#sweeping)
    await this.#underway
    await this.#release([...this.#allowances.keys()])
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
      this.#sweeping ??= outsideRequest(() => setInterval(() => this.#sweep(), idleMs).unref())
    }
    renew(allowance, now)
    if (now < allowance.aloneUntil && now - allowance.askedAt > renewIntervalMs) void this.#ask(owner)
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

  /** Leases a slice for `owner`. Resolves even if the lease fails. */
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
      // Asking again could lease twice, because the response to the pending statement may still arrive.
      if (allowance.isAwaited) allowance.aloneUntil = now + fallbackMs
      else due.set(owner, allowance)
    }
    if (due.size === 0) return
    try {
      await withTimeout(this.#leaseFor(due), this.#timeoutMs, databaseTooLate)
    } catch (error) {
      this.#log.warn({ error: causeOf(error) }, 'rate limit leases unavailable, counting locally')
      const until = performance.now() + fallbackMs
      for (const allowance of due.values()) allowance.aloneUntil = until
    }
  }

  /** Leases slices for these owners. Adds the leases even if the caller has already stopped waiting. */
  async #leaseFor(allowances: ReadonlyMap<string, Counted>): Promise<void> {
    const requests = [...allowances].map(([owner, allowance]) => {
      allowance.isAwaited = true
      return { owner, max: allowance.max, want: leaseSize(allowance, allowance.waiting) }
    })
    try {
      // Callers share this statement, so it must not occupy the slot of any one caller.
      const leases = await outsideRequest(() => this.#store.lease(requests))
      const now = performance.now()
      for (const lease of leases) addLease(allowances.get(lease.owner)!, lease, now)
    } finally {
      for (const allowance of allowances.values()) allowance.isAwaited = false
    }
  }

  /** Returns leases that have been idle, and drops windows that have ended. */
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
    if (idle.length > 0) void this.#release(idle)
    if (this.#allowances.size > 0) return
    clearInterval(this.#sweeping)
    this.#sweeping = undefined
  }

  async #release(owners: string[]): Promise<void> {
    const unused = owners.flatMap((owner) => {
      const allowance = this.#allowances.get(owner)!
      const { window } = allowance
      const count = reclaim(allowance)
      return window === null || count === 0 ? [] : [{ owner, window, unused: count }]
    })
    // If returning fails, the requests are lost until the window ends.
    if (unused.length > 0)
      await this.#store
        .release(unused)
        .catch((error: unknown) =>
          this.#log.warn({ error: causeOf(error) }, 'failed to return leased requests'),
        )
  }
}

const counted = (allowance: Allowance, isOver: boolean, now: number): CountedRequest => ({
  isOver,
  remaining: remainingOf(allowance, now),
  resetMs: Math.max(0, allowance.endsAt - now),
})

/**
 * What one process knows about a limit in the current window. All times are in milliseconds and come from the
 * same clock.
 */
export interface Allowance {
  readonly max: number
  /** Number of requests that this process has counted. */
  used: number
  /** Number of requests that this process has leased. */
  leased: number
  /** Number of requests that no process had leased when this process last leased. */
  unleased: number
  /** Size of the last slice; 0 before the first lease. */
  slice: number
  endsAt: number
  /** The name of the window in the database; null before the first lease. */
  window: string | null
  /** Time until which this process counts without leases, because leasing failed. */
  aloneUntil: number
}

/** Returns an allowance whose window begins now. */
export const newAllowance = (max: number, now: number): Allowance => ({
  max,
  used: 0,
  leased: 0,
  unleased: max,
  slice: 0,
  endsAt: now + rateWindowMs,
  window: null,
  aloneUntil: 0,
})

/** Starts a new window if the current one has ended. */
export function renew(allowance: Allowance, now: number): void {
  if (now >= allowance.endsAt)
    Object.assign(allowance, newAllowance(allowance.max, now), { aloneUntil: allowance.aloneUntil })
}

const isAlone = ({ aloneUntil }: Allowance, now: number) => now < aloneUntil

/** Counts a request. Returns false if the allowance has no requests left. */
export function take(allowance: Allowance, now: number): boolean {
  const { used, leased, max } = allowance
  if (used >= (isAlone(allowance, now) ? max : leased)) return false
  allowance.used++
  return true
}

/** Returns true if the limit is used up, so that leasing again would not help. */
export const isUsedUp = (allowance: Allowance, now: number): boolean =>
  isAlone(allowance, now) || (allowance.unleased <= 0 && allowance.used >= allowance.leased)

/** Returns the number of requests left across all processes, as far as this process knows. */
function remainingOf(allowance: Allowance, now: number): number {
  const { max, used, leased, unleased } = allowance
  return Math.max(0, isAlone(allowance, now) ? max - used : unleased + leased - used)
}

/** Returns how many unused requests an idle process may keep: a hundredth of the limit. */
export const keptMost = (max: number) => Math.max(1, Math.floor(max / 100))

/** Maximum slice as a fraction of the requests that are not leased. */
const sliceShare = 1 / 16

/**
 * Returns how many requests to lease: those already counted without a lease, plus a slice that covers at
 * least the `waiting` requests. Slices double while many requests are left, so a busy process leases about
 * fifty times per window.
 */
export function leaseSize({ max, used, leased, unleased, slice }: Allowance, waiting: number): number {
  const next = Math.max(keptMost(max), Math.min(2 * slice, Math.floor(unleased * sliceShare)))
  return Math.max(0, used - leased) + Math.max(next, waiting)
}

/** Adds a lease to the allowance. If the lease belongs to another window, that window begins. */
export function addLease(
  allowance: Allowance,
  { granted, unleased, window, resetMs }: Omit<GrantedLease, 'owner'>,
  now: number,
): void {
  const isKnown = allowance.window === null || allowance.window === window
  Object.assign(allowance, {
    used: isKnown ? allowance.used : 0,
    leased: isKnown ? allowance.leased + granted : granted,
    unleased,
    slice: granted,
    endsAt: now + resetMs,
    window,
    aloneUntil: 0,
  })
}

/** Removes the unused requests from the allowance. Returns their number. */
function reclaim(allowance: Allowance): number {
  const unused = Math.max(0, allowance.leased - allowance.used)
  allowance.leased -= unused
  allowance.unleased += unused
  allowance.slice = 0
  return unused
}
