import { minuteMs } from '../protocol/units.ts'

/**
 * A process's view of a limit in the current window. All processes share the limit: each leases slices from
 * the database and counts against them. Times are in milliseconds of one clock.
 */
export interface Allowance {
  /** The most requests in a window. */
  readonly max: number
  /** Requests that this process has counted. */
  used: number
  /** Requests that this process may count. */
  leased: number
  /** Requests that no process had leased when this one last asked. */
  unleased: number
  /** The size of the last slice; 0 before the first one. */
  slice: number
  endsAt: number
  /** Names the window in the database; null before the first lease in it. */
  window: string | null
  /** Until then this process counts alone, because leases fail. */
  aloneUntil: number
}

export const windowMs = minuteMs

/** Returns a new allowance in a window that begins now, by this process's clock. */
export const newAllowance = (max: number, now: number): Allowance => ({
  max,
  used: 0,
  leased: 0,
  unleased: max,
  slice: 0,
  endsAt: now + windowMs,
  window: null,
  aloneUntil: 0,
})

/** Begins a new window when the present one has ended. */
export function renew(allowance: Allowance, now: number): void {
  if (now >= allowance.endsAt)
    Object.assign(allowance, newAllowance(allowance.max, now), { aloneUntil: allowance.aloneUntil })
}

const isAlone = ({ aloneUntil }: Allowance, now: number) => now < aloneUntil

/** Counts a request. Returns false when none is left of what this process may count. */
export function take(allowance: Allowance, now: number): boolean {
  const { used, leased, max } = allowance
  if (used >= (isAlone(allowance, now) ? max : leased)) return false
  allowance.used++
  return true
}

/** Returns whether asking for another slice is in vain for now. */
export const isUsedUp = (allowance: Allowance, now: number): boolean =>
  isAlone(allowance, now) || (allowance.unleased <= 0 && allowance.used >= allowance.leased)

/** Returns the estimated number of requests left for all processes. */
export function remainingOf(allowance: Allowance, now: number): number {
  const { max, used, leased, unleased } = allowance
  return Math.max(0, isAlone(allowance, now) ? max - used : unleased + leased - used)
}

/** What an idle process may keep: a hundredth of the limit. */
export const keptMost = (max: number) => Math.max(1, Math.floor(max / 100))

/** Maximum slice as a share of the rest, so that little is stranded when load is uneven. */
const sliceShare = 1 / 16

/**
 * Returns how many requests to lease: those counted without a lease, plus a slice. Slices double while used,
 * so that a busy process asks some fifty times per window; `waiting` requests are included.
 */
export function leaseSize({ max, used, leased, unleased, slice }: Allowance, waiting: number): number {
  const next = Math.max(keptMost(max), Math.min(2 * slice, Math.floor(unleased * sliceShare)))
  return Math.max(0, used - leased) + Math.max(next, waiting)
}

/** A lease granted by the database. */
export interface GrantedLease {
  granted: number
  /** Requests that no process has leased since. */
  unleased: number
  window: string
  /** When the window ends, from now. */
  resetMs: number
}

/** Adds a lease; one of another window than the known one begins that window. */
export function addLease(
  allowance: Allowance,
  { granted, unleased, window, resetMs }: GrantedLease,
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

/** Takes back the unused part of an allowance. Returns its size. */
export function reclaim(allowance: Allowance): number {
  const unused = Math.max(0, allowance.leased - allowance.used)
  allowance.leased -= unused
  allowance.unleased += unused
  allowance.slice = 0
  return unused
}
