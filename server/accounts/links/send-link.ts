import { randomBytes } from 'node:crypto'
import type { Database, Transaction } from '#db/client.ts'
import { linkMail } from '../mail/mail.ts'
import type { Mailer } from '../mail/mailer.ts'
import { countAttempt } from '../sign-in/throttle-store.ts'
import { type NewMember, findUser, saveInvited } from '../user-store.ts'
import { insertLink } from './link-store.ts'
import { type LinkKind, linkUrl, makeLink } from './link.ts'

interface Means {
  db: Database | Transaction
  publicUrl: string
}

/**
 * Makes a link for a user and returns the address that is opened to use it. It replaces older ones of its kind; one that anybody
 * can request (`isRequested`) replaces none that was issued by an operator or an admin.
 */
export async function issueLink(
  { db, publicUrl }: Means,
  userId: number,
  kind: LinkKind,
  isRequested = false,
): Promise<string> {
  const { token, hash, expiresAt } = makeLink(kind, new Date(), randomBytes)
  await insertLink(db, { hash, userId, kind, expiresAt, isRequested })
  return linkUrl(publicUrl, token)
}

/** Mails a link to the user with this address (in lower case), if there is one; at most five times in a quarter of an hour. */
export async function sendLink(
  means: { db: Database; publicUrl: string; mailer: Mailer },
  email: string,
  kind: LinkKind,
): Promise<void> {
  if (await isMailedTooOften(means.db, email, kind)) return
  const user = await findUser(means.db, email)
  if (user !== undefined)
    await means.mailer.send(email, linkMail(kind, await issueLink(means, user.id, kind, true), null))
}

/**
 * Invites somebody: gives the link that lets them in.
 * Undefined when there is a user with this address who has been here, or belongs elsewhere.
 */
export async function invite(means: Means, user: NewMember): Promise<string | undefined> {
  return means.db.transaction(async (tx) => {
    const saved = await saveInvited(tx, user)
    return saved && issueLink({ ...means, db: tx }, saved.id, 'invitation')
  })
}

/**
 * Mails the link of an invitation, in the partner's name if there is one. Whether that was done: not when the mail server does not
 * take it, or took five to this address in a quarter of an hour; null without a mail server.
 */
export async function mailInvitation(
  { db, mailer }: { db: Database; mailer: Mailer | null },
  email: string,
  link: string,
  partnerName: string | null,
): Promise<boolean | null> {
  if (mailer === null) return null
  return (
    !(await isMailedTooOften(db, email, 'invitation')) &&
    mailer.send(email, linkMail('invitation', link, partnerName))
  )
}

// What somebody else asks for fills no mailbox.
const isMailedTooOften = async (db: Database, email: string, kind: LinkKind) =>
  (await countAttempt(db, { purpose: `${kind}-mail`, of: [email] })).isOver
