import type { OutgoingHttpHeaders } from 'node:http'
import type { Logger } from 'pino'
import { type TenantScope, isEveryone } from '../accounts/partner.ts'
import { outsideRequest } from '../admission/slots.ts'
import { databaseTooLate, withTimeout } from '../admission/with-timeout.ts'
import { ApiError, causeOf } from '../errors.ts'
import { rateWindowMs } from '../tokens/policy.ts'
import type { LeaseRequest, GrantedLease, UnusedLease } from '../tokens/rate-store.ts'
import { secondMs } from '../values/units.ts'

/**
 * Counts a request of a token and its partner, and sets the `X-RateLimit-*` headers of the limit with fewer
 * requests left.
 * @throws ApiError 429 if either limit is used up for this minute
 */
export type RateLimit = (
  actor: { tokenId: number; tenant: TenantScope },
  headers: OutgoingHttpHeaders,
) => Promise<void>

/** A limit and its remaining requests. */
interface Limit extends CountedRequest {
  limit: number
  owner: 'token' | 'partner'
}

/** The limit of a partner as a multiple of a token's, so that more tokens do not multiply the rate. */
const partnerShare = 3

/** Returns a limiter across all processes: `perMinute` per token, three times that per partner; 0 means unlimited. */
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

/** A counted request. */
export interface CountedRequest {
  /** Whether it exceeds the limit. */
  isOver: boolean
  /** Requests left in this window. */
  remaining: number
  /** Time until the window ends. */
  resetMs: number
}

/** Stores the requests that processes lease from a shared limit. */
export interface LeaseStore {
  lease(requests: LeaseRequest[]): Promise<GrantedLease[]>
  release(unused: UnusedLease[]): Promise<void>
}

/** How long a request waits for a lease; then this process counts alone for a while. */
const leaseTimeoutMs = 500
const fallbackMs = secondMs
/** How often to ask for requests that other processes have returned. */
const renewIntervalMs = secondMs
/** How long an unused lease is kept. */
const idleMs = secondMs

interface Counted extends Allowance {
  waiting: number
  /** Whether a lease request is pending. */
  isAwaited: boolean
  askedAt: number
  countedAt: number
}

/**
 * Enforces rate limits across processes without a query per request, by leasing slices of each limit. Leases of a killed
 * process are lost until the window ends. Without the database, each process counts up to the full limit.
 */
export class RateLeases {
  readonly #store: LeaseStore
  readonly #log: Pick<Logger, 'warn'>
  readonly #timeoutMs: number
  readonly #allowances = new Map<string, Counted>()
  #asked = new Set<string>()
  /** The running lease statement, and the next one for all later requests. */
  #underway: Promise<void> = Promise.resolve()
  #next: Promise<void> | null = null
  #sweeping: NodeJS.Timeout | undefined

  constructor(store: LeaseStore, log: Pick<Logger, 'warn'>, timeoutMs = leaseTimeoutMs) {
    this.#store = store
    this.#log = log
    this.#timeoutMs = timeoutMs
  }

  /** Counts a request of `owner`, whose limit per window is `max`. Queries the database only to lease a slice. */
  async count(owner: string, max: number): Promise<CountedRequest> {
    const now = performance.now()
    const allowance = this.#allowanceOf(owner, max, now)
    allowance.countedAt = now
    if (take(allowance, now)) return counted(allowance, false, now)
    if (!isUsedUp(allowance, now)) return this.#waitAndCount(owner, allowance)
    if (now - allowance.askedAt > renewIntervalMs) void this.#ask(owner)
    return counted(allowance, true, now)
  }

  /** Returns unused leases. */
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

  /** Leases a slice for `owner`; resolves even if that fails. */
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
      // A second request could lease twice, because the first response may still arrive.
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

  /** Leases slices for these owners, and adds them even if they arrive late. */
  async #leaseFor(allowances: ReadonlyMap<string, Counted>): Promise<void> {
    const requests = [...allowances].map(([owner, allowance]) => {
      allowance.isAwaited = true
      return { owner, max: allowance.max, want: leaseSize(allowance, allowance.waiting) }
    })
    try {
      // All callers share the statement, so it takes no caller's slot.
      const leases = await outsideRequest(() => this.#store.lease(requests))
      const now = performance.now()
      for (const lease of leases) addLease(allowances.get(lease.owner)!, lease, now)
    } finally {
      for (const allowance of allowances.values()) allowance.isAwaited = false
    }
  }

  /** Returns leases that are unused for a while, and drops ended windows. */
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
    // Unreturned requests are lost until the window ends.
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

/** A process's view of a limit in the current window. Times are in milliseconds, by one clock. */
export interface Allowance {
  /** Maximum requests in a window. */
  readonly max: number
  /** Requests that this process has counted. */
  used: number
  /** Requests that this process may count. */
  leased: number
  /** Requests that no process had leased at this process's last lease. */
  unleased: number
  /** The size of the last slice; 0 before the first one. */
  slice: number
  endsAt: number
  /** The name of the window in the database; null before the first lease. */
  window: string | null
  /** Until then, this process counts alone, because leasing failed. */
  aloneUntil: number
}

/** Returns the allowance in a window that begins now. */
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

/** Begins a new window if the current one has ended. */
export function renew(allowance: Allowance, now: number): void {
  if (now >= allowance.endsAt)
    Object.assign(allowance, newAllowance(allowance.max, now), { aloneUntil: allowance.aloneUntil })
}

const isAlone = ({ aloneUntil }: Allowance, now: number) => now < aloneUntil

/** Counts a request. Returns false if this process has none left. */
export function take(allowance: Allowance, now: number): boolean {
  const { used, leased, max } = allowance
  if (used >= (isAlone(allowance, now) ? max : leased)) return false
  allowance.used++
  return true
}

/** Returns true if another slice cannot be leased now. */
export const isUsedUp = (allowance: Allowance, now: number): boolean =>
  isAlone(allowance, now) || (allowance.unleased <= 0 && allowance.used >= allowance.leased)

/** Returns the requests left in all processes, as far as this process knows. */
export function remainingOf(allowance: Allowance, now: number): number {
  const { max, used, leased, unleased } = allowance
  return Math.max(0, isAlone(allowance, now) ? max - used : unleased + leased - used)
}

/** The unused lease that an idle process keeps: a hundredth of the limit. */
export const keptMost = (max: number) => Math.max(1, Math.floor(max / 100))

/** The maximum slice as a fraction of the rest. */
const sliceShare = 1 / 16

/**
 * Returns the number of requests to lease: those counted without a lease, and a slice for at least the `waiting` ones.
 * Slices double while much is left, so a busy process leases about fifty times in a window.
 */
export function leaseSize({ max, used, leased, unleased, slice }: Allowance, waiting: number): number {
  const next = Math.max(keptMost(max), Math.min(2 * slice, Math.floor(unleased * sliceShare)))
  return Math.max(0, used - leased) + Math.max(next, waiting)
}

/** Adds a lease. A lease of another window begins that window. */
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

/** Removes the unused part of the lease. Returns its size. */
export function reclaim(allowance: Allowance): number {
  const unused = Math.max(0, allowance.leased - allowance.used)
  allowance.leased -= unused
  allowance.unleased += unused
  allowance.slice = 0
  return unused
}
