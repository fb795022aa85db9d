import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { Mail } from '../accounts/mail.ts'

/** Settings for the list headers in mail to users. */
export interface MailingList {
  publicUrl: string
  encryptionKey: Buffer
}

/** Returns the URL at which a user can unsubscribe from mail. */
export const unsubscribeUrl = ({ publicUrl, encryptionKey }: MailingList, userId: number) =>
  `${publicUrl}/unsubscribe/${unsubscribeToken(encryptionKey, userId)}`

/** Returns the mail headers that identify the list and how to unsubscribe (RFC 2919, RFC 8058). */
export const listHeadersOf = (list: MailingList, userId: number) => ({
  'List-Id': `Partner Deals notifications <notifications.${new URL(list.publicUrl).hostname}>`,
  'List-Unsubscribe': `<${unsubscribeUrl(list, userId)}>`,
  'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
})

/**
 * Returns the mail headers that group a user's mail about a deal into a thread. All of it replies to a
 * message that was never sent.
 */
export function threadOf(
  { publicUrl }: MailingList,
  dealId: string,
  userId: number,
): Pick<Mail, 'inReplyTo' | 'references'> {
  const root = `<deal-${dealId}.user-${userId}@${new URL(publicUrl).hostname}>`
  return { inReplyTo: root, references: root }
}

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
