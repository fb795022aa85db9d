import { hashText } from './user.ts'

const quarterS = 15 * 60

/** All limits, with the maximum number of attempts and the seconds until the count restarts. */
export const limits = {
  /** Counted per e-mail address, for browsers that have never signed in with that address. */
  'sign-in': { max: 20, windowS: quarterS },
  /** Counted per e-mail address and browser, for browsers that have signed in with that address. */
  'device-sign-in': { max: 20, windowS: quarterS },
  /** Counted per session. */
  'password-change': { max: 20, windowS: quarterS },
  /** Counted per e-mail address. */
  'reset-mail': { max: 5, windowS: quarterS },
  'sign-in-mail': { max: 5, windowS: quarterS },
  'invitation-mail': { max: 5, windowS: quarterS },
  /** Audit entries about failed sign-ins, per user; see `isRecorded`. */
  'sign-in-failure': { max: 20, windowS: quarterS },
  /** Counted per partner. Each test sends one request to the partner's server, and each check sends two. */
  'webhook-test': { max: 10, windowS: 60 },
  'webhook-examination': { max: 10, windowS: 60 },
  /** Counted per partner. Each call replays up to 20 events. */
  'webhook-replay': { max: 60, windowS: 60 },
} as const satisfies Record<string, { max: number; windowS: number }>

export type Purpose = keyof typeof limits

/**
 * Identifies a count of attempts. The purpose is part of the key, so that different limits never share a
 * count.
 */
export interface Counter {
  purpose: Purpose
  /** What is counted for: a validated e-mail address, a session or a partner. */
  of: readonly (string | number)[]
}

/** Returns the unique key of a counter. */
export function counterHash({ purpose, of }: Counter): string {
  return hashText(JSON.stringify([purpose, ...of]))
}

/**
 * Returns true if this failed sign-in gets an audit entry: every failure up to one above the limit, then the
 * 100th, the 1,000th and so on.
 */
export function isRecorded(attempts: number): boolean {
  return attempts <= limits['sign-in-failure'].max + 1 || /^10+$/.test(String(attempts))
}

/** Too many attempts. The next attempt is allowed after `retryAfterS`. */
export interface Throttled {
  problem: 'throttled'
  retryAfterS: number
}
