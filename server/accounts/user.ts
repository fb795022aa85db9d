import { createHash } from 'node:crypto'
import { Email } from '../values/input.ts'
import type { Role } from './role.ts'

/** A user who has signed in. */
export interface User {
  id: number
  email: string
  name: string
  role: Role
  /** Null exactly for operators. */
  partnerId: number | null
}

/** A user who is signing in. */
export interface SigningIn extends User {
  /** The user's session counter at that time. */
  sessionsEnded: number
}

/** Returns an entered e-mail address in its stored form, or null if it is not valid. */
export function parseEmail(text: string): string | null {
  const { success, data } = Email.safeParse(text)
  return success ? data : null
}

/** Lifetime of a browser session. */
export const sessionMaxAgeS = 7 * 24 * 60 * 60

/** Returns the SHA-256 in hexadecimal, stored instead of the text. */
export function hashText(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
