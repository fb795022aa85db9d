import { createHmac, timingSafeEqual } from 'node:crypto'
import { hashText } from '../user.ts'

// A browser that has signed in to an account keeps a cookie as proof. Its failed attempts are counted
// separately, so nobody else can lock the owner out (OWASP, "Slow Down Online Guessing Attacks with Device
// Cookies").

/** How long a browser is remembered; browsers cap cookies at this age. */
export const deviceMaxAgeS = 400 * 24 * 60 * 60

/** Returns the name of an account's device cookie; one browser may have several. */
export function deviceName(email: string): string {
  return `device-${hashText(`device ${email}`).slice(0, 16)}`
}

/** Returns the value of a device cookie; `nonce` is the browser's own. */
export function signDevice(secret: string, email: string, nonce: string): string {
  return `${nonce}.${createHmac('sha256', secret).update(`device ${email} ${nonce}`).digest('base64url')}`
}

/** Returns the nonce in a device cookie, or null if it was not signed for this e-mail address. */
export function readDevice(secret: string, email: string, cookie: string | undefined): string | null {
  const nonce = /^([\w-]{22})\./.exec(cookie ?? '')?.[1]
  if (nonce === undefined) return null
  const [given, signed] = [Buffer.from(cookie!), Buffer.from(signDevice(secret, email, nonce))]
  return given.length === signed.length && timingSafeEqual(given, signed) ? nonce : null
}
