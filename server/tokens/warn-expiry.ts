import type { Database } from '#db/client.ts'
import { composeMail } from '../accounts/mail.ts'
import { type Mailer, notifyAdmins } from '../accounts/mailer.ts'
import type { PartnerId } from '../accounts/partner.ts'
import { sendJobs } from '../jobs/send-store.ts'
import { type ExpiringToken, findPartnersToWarn, readUnwarned, recordWarned } from './store.ts'

const instant = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })

/** Sends the jobs that warn partners of tokens that expire soon. @system the worker */
export async function sendExpiryWarnings(db: Database): Promise<void> {
  const jobs = (await findPartnersToWarn(db)).map((partnerId) => ({
    data: { partnerId },
    key: partnerId,
    group: partnerId,
  }))
  await sendJobs(db.$client, 'warn-of-expiry', jobs)
}

/**
 * E-mails a partner's admins about tokens that expire soon, once per token. Does nothing if there is no mail
 * server.
 */
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
  const { kind, clients } = wordsOf(expiring)
  const sentences = expiring.map(
    ({ name, prefix, isSheet, expiresAt }) =>
      `The ${isSheet ? 'sheet link' : 'API token'} “${name}” (${prefix}…) expires on ${instant.format(expiresAt)} UTC.`,
  )
  return composeMail({
    subject:
      expiring.length === 1
        ? `The ${kind} “${expiring[0]!.name}” expires soon`
        : `${expiring.length} ${kind}s expire soon`,
    intro: `${sentences.join(' ')} ${clients} using ${expiring.length === 1 ? 'it' : 'them'} will then be rejected.`,
    action: 'View tokens',
    url: `${publicUrl}/tokens`,
    ended:
      'Rotate a token to replace it; both work until the old one expires. If nothing uses it anymore, ' +
      'you can ignore this e-mail.',
  })
}

/** Returns the names of the expiring tokens, some of which may be sheet links, and of their users. */
function wordsOf(expiring: ExpiringToken[]): { kind: string; clients: string } {
  if (expiring.every(({ isSheet }) => isSheet)) return { kind: 'sheet link', clients: 'Spreadsheets' }
  return { kind: expiring.some(({ isSheet }) => isSheet) ? 'token' : 'API token', clients: 'Clients' }
}
