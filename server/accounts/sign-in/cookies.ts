import { createHmac, timingSafeEqual } from 'node:crypto'
import { hashText } from '../user.ts'
/** Returns true if browsers should send cookies only over https. */
export const isSecure = ({ publicUrl }: { publicUrl: string }) => publicUrl.startsWith('https:')

/**
 * Returns the full name of a cookie. Over https, the name has a prefix that keeps other hosts from setting
 * the cookie.
 */
export function cookieName(config: { publicUrl: string }, name: string): string {
  return `${isSecure(config) ? '__Host-' : ''}partner-deals.${name}`
}

/** Name of the cookie that contains the ID token of the provider that the browser signed in with. */
export const idTokenCookie = 'id-token'

/** Returns the names of all cookies that next-auth sets. */
export function cookieNames(config: { publicUrl: string }) {
  return {
    sessionToken: cookieName(config, 'session'),
    callbackUrl: cookieName(config, 'callback-url'),
    csrfToken: cookieName(config, 'csrf-token'),
    pkceCodeVerifier: cookieName(config, 'pkce'),
    state: cookieName(config, 'state'),
    nonce: cookieName(config, 'nonce'),
  }
}

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
