import { createHmac, timingSafeEqual } from 'node:crypto'
import { hashText } from '../user.ts'

// A browser that has been let in to an account keeps a cookie that says so. Its wrong attempts are counted apart from those of
// all the world, which so cannot lock the owner out (OWASP, "Slow Down Online Guessing Attacks with Device Cookies").

/** How long a browser is remembered; browsers keep no cookie for longer. */
export const deviceMaxAgeS = 400 * 24 * 60 * 60

/** Returns what the cookie of an account is called: one browser may have been let in to several. */
export function deviceName(address: string): string {
  return `device-${hashText(`device ${address}`).slice(0, 16)}`
}

/** Returns what the cookie of a browser holds; `nonce` is the browser's own. */
export function signDevice(secret: string, address: string, nonce: string): string {
  return `${nonce}.${createHmac('sha256', secret).update(`device ${address} ${nonce}`).digest('base64url')}`
}

/** Returns the nonce in such a cookie, or null when it was not signed for this address. */
export function readDevice(secret: string, address: string, cookie: string | undefined): string | null {
  const nonce = /^([\w-]{22})\./.exec(cookie ?? '')?.[1]
  if (nonce === undefined) return null
  const [given, signed] = [Buffer.from(cookie!), Buffer.from(signDevice(secret, address, nonce))]
  return given.length === signed.length && timingSafeEqual(given, signed) ? nonce : null
}
