import { hashText } from '../user.ts'

const quarterS = 15 * 60

/** Everything that is limited: how often it may be tried, and in how many seconds the count begins anew. */
export const limits = {
  /** Of an e-mail address, in browsers that it has not signed in with before. */
  'sign-in': { max: 20, windowS: quarterS },
  /** Of an e-mail address and a browser that it has signed in with. */
  'device-sign-in': { max: 20, windowS: quarterS },
  /** Of a session. */
  'password-change': { max: 20, windowS: quarterS },
  /** Mails to an e-mail address that somebody else asks for. */
  'reset-mail': { max: 5, windowS: quarterS },
  'sign-in-mail': { max: 5, windowS: quarterS },
  'invitation-mail': { max: 5, windowS: quarterS },
  /** Audit entries of failed sign-ins as a user; see `isRecorded`. */
  'sign-in-failure': { max: 20, windowS: quarterS },
  /** Of a partner, whose server answers each test once and each examination twice. */
  'webhook-test': { max: 10, windowS: 60 },
  'webhook-examination': { max: 10, windowS: 60 },
} as const satisfies Record<string, { max: number; windowS: number }>

export type Purpose = keyof typeof limits

/** What is counted. The purpose is part of the key, so that no two things that are limited can share a count. */
export interface Counter {
  purpose: Purpose
  /** Whose attempts: an address that has been validated, a session, a partner. */
  of: readonly (string | number)[]
}

/** Returns the key that a counter is kept under; no two counters have the same one. */
export function counterHash({ purpose, of }: Counter): string {
  return hashText(JSON.stringify([purpose, ...of]))
}

/**
 * Returns whether an audit entry is written for this failed sign-in as a user: for those within the limit and
 * the first beyond it, then for the 100th, the 1,000th and so on.
 */
export function isRecorded(attempts: number): boolean {
  return attempts <= limits['sign-in-failure'].max + 1 || /^10+$/.test(String(attempts))
}

/** Somebody tried too often, and may try again in so many seconds. */
export interface Throttled {
  problem: 'throttled'
  retryAfterS: number
}
