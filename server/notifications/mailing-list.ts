import type { Mail } from '../accounts/mail/mail.ts'
import { unsubscribeToken } from './unsubscribe.ts'

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
