import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'

/** Returns the token of a user's unsubscribe link, which works without a session. */
export function unsubscribeToken(encryptionKey: Buffer, userId: number): string {
  const key = Buffer.from(hkdfSync('sha256', encryptionKey, '', 'links that stop mail', 32))
  return `${userId}.${createHmac('sha256', key).update(String(userId)).digest('base64url')}`
}

/** Returns the user id in an unsubscribe token, or null if the token is invalid. */
export function openUnsubscribeToken(encryptionKey: Buffer, token: string): number | null {
  const [, digits] = /^([1-9]\d{0,8})\.[\w-]{43}$/.exec(token) ?? []
  if (digits === undefined) return null
  const expected = unsubscribeToken(encryptionKey, Number(digits))
  return timingSafeEqual(Buffer.from(token), Buffer.from(expected)) ? Number(digits) : null
}
