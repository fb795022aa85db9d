import { hashText } from '../user.ts'

const quarterS = 15 * 60

/** All limits: attempts allowed, and seconds until the count restarts. */
export const limits = {
  /** Per e-mail address, in browsers that have not signed in to it before. */
  'sign-in': { max: 20, windowS: quarterS },
  /** Per e-mail address and browser that has signed in to it. */
  'device-sign-in': { max: 20, windowS: quarterS },
  /** Per session. */
  'password-change': { max: 20, windowS: quarterS },
  /** Password-reset mails to an e-mail address. */
  'reset-mail': { max: 5, windowS: quarterS },
  'sign-in-mail': { max: 5, windowS: quarterS },
  'invitation-mail': { max: 5, windowS: quarterS },
  /** Audit entries of a user's failed sign-ins; see `isRecorded`. */
  'sign-in-failure': { max: 20, windowS: quarterS },
  /** Per partner, whose server handles one request per test and two per check. */
  'webhook-test': { max: 10, windowS: 60 },
  'webhook-examination': { max: 10, windowS: 60 },
  /** Per partner. Each replays up to 20 events. */
  'webhook-replay': { max: 60, windowS: 60 },
} as const satisfies Record<string, { max: number; windowS: number }>

export type Purpose = keyof typeof limits

/** A counter. Its purpose is part of the key, so that limits never share a count. */
export interface Counter {
  purpose: Purpose
  /** The subject of the counter: a validated e-mail address, a session, a partner. */
  of: readonly (string | number)[]
}

/** Returns the key of a counter; no two counters share one. */
export function counterHash({ purpose, of }: Counter): string {
  return hashText(JSON.stringify([purpose, ...of]))
}

/**
 * Returns whether this failed sign-in gets an audit entry: those within the limit and the first beyond it do,
 * then the 100th, the 1,000th and so on.
 */
export function isRecorded(attempts: number): boolean {
  return attempts <= limits['sign-in-failure'].max + 1 || /^10+$/.test(String(attempts))
}

/** Too many attempts; the next one is allowed after `retryAfterS`. */
export interface Throttled {
  problem: 'throttled'
  retryAfterS: number
}
