import type { Database } from '#db/client.ts'
import type { PartnerId } from '../partner.ts'
import { readAdminEmails } from '../user-store.ts'
import type { Mail } from './mail.ts'
import type { Mailer } from './mailer.ts'

/** Mails something to each admin of a partner; gives how many were told. Without a mail server nobody is. */
export async function tellAdmins(
  { db, mailer }: { db: Database; mailer: Mailer | null },
  partnerId: PartnerId,
  mail: Mail,
): Promise<number> {
  if (mailer === null) return 0
  const told = await Promise.all(
    (await readAdminEmails(db, partnerId)).map((email) => mailer.send(email, mail)),
  )
  return told.filter(Boolean).length
}
