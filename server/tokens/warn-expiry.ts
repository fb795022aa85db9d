import type { Database } from '#db/client.ts'
import { composeMail } from '../accounts/mail/mail.ts'
import type { Mailer } from '../accounts/mail/mailer.ts'
import { notifyAdmins } from '../accounts/mail/notify-admins.ts'
import type { PartnerId } from '../accounts/partner.ts'
import { type ExpiringToken, readUnwarned, recordWarned } from './warning-store.ts'

const instant = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })

/** Mails the admins of a partner whose tokens expire soon, once per token. Without a mail server, they wait. */
export async function warnOfExpiry(
  { db, mailer, publicUrl }: { db: Database; mailer: Mailer | null; publicUrl: string },
  partnerId: PartnerId,
): Promise<void> {
  if (mailer === null) return
  const expiring = await readUnwarned(db, partnerId)
  if (expiring.length === 0) return
  const mailedCount = await notifyAdmins({ db, mailer }, partnerId, expiryMail(expiring, publicUrl))
  const ids = expiring.map(({ id }) => id)
  if (mailedCount > 0) await recordWarned(db, partnerId, ids)
}

function expiryMail(expiring: ExpiringToken[], publicUrl: string) {
  const { them, clients } = wordsOf(expiring)
  const sentences = expiring.map(
    ({ name, prefix, isSheet, expiresAt }) =>
      `The ${isSheet ? 'sheet link' : 'API token'} “${name}” (${prefix}…) expires on ${instant.format(expiresAt)} UTC.`,
  )
  return composeMail({
    subject:
      expiring.length === 1
        ? `The ${them} “${expiring[0]!.name}” expires soon`
        : `${expiring.length} ${them}s expire soon`,
    intro: `${sentences.join(' ')} ${clients} using ${expiring.length === 1 ? 'it' : 'them'} will then be rejected.`,
    action: 'View tokens',
    url: `${publicUrl}/tokens`,
    ended:
      'Rotate a token to replace it; both work until the old one expires. If nothing uses it anymore, ' +
      'you can ignore this e-mail.',
  })
}

/** Names what expires, and what uses it: sheet links, or tokens, of which sheet links are a kind. */
function wordsOf(expiring: ExpiringToken[]): { them: string; clients: string } {
  if (expiring.every(({ isSheet }) => isSheet)) return { them: 'sheet link', clients: 'Spreadsheets' }
  return { them: expiring.some(({ isSheet }) => isSheet) ? 'token' : 'API token', clients: 'Clients' }
}
