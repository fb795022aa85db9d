import type { Database } from '#db/client.ts'
import type { PartnerId } from '../partner.ts'
import { readAdmins } from '../user-store.ts'
import type { Mail } from './mail.ts'
import type { Mailer } from './mailer.ts'

/** E-mails all admins of a partner. Returns the number of e-mails sent; 0 if there is no mail server. */
export async function notifyAdmins(
  { db, mailer }: { db: Database; mailer: Mailer | null },
  partnerId: PartnerId,
  mail: Mail,
): Promise<number> {
  if (mailer === null) return 0
  const mailed = await Promise.all(
    (await readAdmins(db, partnerId)).map(({ email }) => mailer.send(email, mail)),
  )
  return mailed.filter(Boolean).length
}
