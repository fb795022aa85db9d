import { createHmac, timingSafeEqual } from 'node:crypto'
import { hashText } from '../user.ts'

// A browser that has signed in to an account gets a cookie as proof. Failed attempts from such a browser are
// counted separately, so that nobody else can lock the owner out (OWASP, "Slow Down Online Guessing Attacks
// with Device Cookies").

/** Lifetime of the cookie; browsers do not allow more. */
export const deviceMaxAgeS = 400 * 24 * 60 * 60

/** Returns the name of an account's device cookie. A browser can have device cookies of several accounts. */
export function deviceName(email: string): string {
  return `device-${hashText(`device ${email}`).slice(0, 16)}`
}

/** Returns the value of a device cookie with the browser's own `nonce`. */
export function signDevice(secret: string, email: string, nonce: string): string {
  return `${nonce}.${createHmac('sha256', secret).update(`device ${email} ${nonce}`).digest('base64url')}`
}

/** Returns the nonce in a device cookie, or null if the cookie was not signed for this e-mail address. */
export function readDevice(secret: string, email: string, cookie: string | undefined): string | null {
  const nonce = /^([\w-]{22})\./.exec(cookie ?? '')?.[1]
  if (nonce === undefined) return null
  const [given, signed] = [Buffer.from(cookie!), Buffer.from(signDevice(secret, email, nonce))]
  return given.length === signed.length && timingSafeEqual(given, signed) ? nonce : null
}
