import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { dayMs, hourMs, minuteMs } from '../values/units.ts'
import { tokenPrefix, type Scope } from './policy.ts'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const pattern = /^([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/

/** Returns a new token: `tokenPrefix`, 30 random base62 characters, and a 6-character CRC32 checksum. */
export function makeToken(random: (count: number) => Uint8Array): string {
  let body = ''
  while (body.length < 30) {
    for (const byte of random(64)) {
      // Discards bytes above 247, because 248 is the largest multiple of 62 in a byte. Otherwise, some
      // characters would be more frequent.
      if (byte < 248 && body.length < 30) body += alphabet[byte % 62]
    }
  }
  return `${tokenPrefix}${body}${checksum(body)}`
}

/** Returns true if the text has the format and checksum of a token. */
export function isTokenForm(text: string): boolean {
  const match = text.startsWith(tokenPrefix) ? pattern.exec(text.slice(tokenPrefix.length)) : null
  return match !== null && checksum(match[1]!) === match[2]
}

/** Returns the hexadecimal SHA-256 of a token, which is stored instead of the token. */
export function hashToken(text: string): string {
  return hash('sha256', text)
}

/** Returns the first characters of a token, which identify the token in lists. */
export function displayPrefix(text: string): string {
  return text.slice(0, 9)
}

function checksum(body: string): string {
  let rest = crc32(body)
  let digits = ''
  for (let place = 0; place < 6; place++) {
    digits = alphabet[rest % 62] + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}

/**
 * Returns the time that is `text` (such as `30d`, `12h`, `90m`) after `now`, or null if the text is not a
 * time span.
 */
export function expiryAfter(text: string, now: Date): Date | null {
  const match = /^([1-9]\d{0,4})([mhd])$/.exec(text)
  if (match === null) return null
  const unitMs = { m: minuteMs, h: hourMs, d: dayMs }[match[2] as 'm' | 'h' | 'd']
  return new Date(now.getTime() + Number(match[1]) * unitMs)
}

const tryPaths: [Scope, string][] = [
  ['deals:read', '/api/deals?size=1'],
  ['webhooks:read', '/api/webhook'],
]

/** Returns a curl command that tries out a token, or null if its scopes do not allow a simple request. */
export function curlOf(publicUrl: string, token: string, scopes: readonly Scope[]): string | null {
  const path = tryPaths.find(([scope]) => scopes.includes(scope))?.[1]
  return path === undefined ? null : `curl -H "Authorization: Bearer ${token}" "${publicUrl}${path}"`
}

/** Returns the label of a token: its name and prefix. */
export const labelOf = ({ name, prefix }: { name: string; prefix: string }) => `${name} (${prefix}…)`
