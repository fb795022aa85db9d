import type { Mail } from '../accounts/mail/mail.ts'
import { unsubscribeToken } from './unsubscribe.ts'

/** Inputs of the list headers in mail to users. */
export interface MailingList {
  publicUrl: string
  encryptionKey: Buffer
}

/** Returns the URL by which a user stops mail. */
export const unsubscribeUrl = ({ publicUrl, encryptionKey }: MailingList, userId: number) =>
  `${publicUrl}/unsubscribe/${unsubscribeToken(encryptionKey, userId)}`

/**
 * Returns the headers of a mail to a user that identify its list and how to unsubscribe (RFC 2919, RFC 8058).
 */
export const listHeadersOf = (list: MailingList, userId: number) => ({
  'List-Id': `Partner Deals notifications <notifications.${new URL(list.publicUrl).hostname}>`,
  'List-Unsubscribe': `<${unsubscribeUrl(list, userId)}>`,
  'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
})

/**
 * Returns the headers that thread a user's mail about a deal: as replies to a message that was never sent.
 */
export function threadOf(
  { publicUrl }: MailingList,
  dealId: string,
  userId: number,
): Pick<Mail, 'inReplyTo' | 'references'> {
  const root = `<deal-${dealId}.user-${userId}@${new URL(publicUrl).hostname}>`
  return { inReplyTo: root, references: root }
}
