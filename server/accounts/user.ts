import { createHash } from 'node:crypto'
import { Email } from '../values/input.ts'
import type { Role } from './role.ts'

/** A user who has signed in. */
export interface User {
  id: number
  email: string
  name: string
  role: Role
  /** Null if and only if the user is an operator. */
  partnerId: number | null
}

/** A user who is signing in. */
export interface SigningIn extends User {
  /** The value of the user's session counter when the sign-in began. */
  sessionsEnded: number
}

/**
 * Returns the form in which an e-mail address is stored, or null if the text is not a valid e-mail address.
 */
export function parseEmail(text: string): string | null {
  const { success, data } = Email.safeParse(text)
  return success ? data : null
}

/** Lifetime of a browser session. */
export const sessionMaxAgeS = 7 * 24 * 60 * 60

/** Returns the hexadecimal SHA-256 of a string, to store in its place. */
export function hashText(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
