import { randomBytes } from 'node:crypto'
import type { Database } from '#db/client.ts'
import { type LinkKind, linkUrl, makeLink } from './link.ts'
import { insertLink } from './link-store.ts'
import { linkMail } from './mail.ts'
import type { Mailer } from './mailer.ts'
import { countTry } from './tries-store.ts'
import { findUser, saveInvited } from './user-store.ts'
import { type User, hashText } from './user.ts'

// What somebody else asks for fills no mailbox; the newest of these links works.
const mailsMax = 5

interface Means {
  db: Database
  publicUrl: string
}

/** A new link for a user, in place of older ones of this kind: the address that is opened to use it. */
export async function issueLink({ db, publicUrl }: Means, userId: number, kind: LinkKind): Promise<string> {
  const { token, hash, expiresAt } = makeLink(kind, new Date(), randomBytes)
  await insertLink(db, { hash, userId, kind, expiresAt })
  return linkUrl(publicUrl, token)
}

/** Mails a link to the user with this address (in lower case), if there is one; at most five times in a quarter of an hour. */
export async function sendLink(means: Means & { mailer: Mailer }, email: string, kind: LinkKind): Promise<void> {
  if (await countTry(means.db, hashText(`${kind} ${email}`)) > mailsMax) return
  const user = await findUser(means.db, email)
  if (user !== undefined) await means.mailer.send(email, linkMail(kind, await issueLink(means, user.id, kind), null))
}

/**
 * Invites somebody: gives the link that lets them in, and whether it was mailed (null without a mail server).
 * Undefined when there is a user with this address who has been here, or belongs elsewhere.
 */
export async function invite(means: Means & { mailer: Mailer | null }, user: Omit<User, 'id'>, partnerName: string | null): Promise<{ link: string; mailed: boolean | null } | undefined> {
  const saved = await saveInvited(means.db, user)
  if (saved === undefined) return undefined
  const link = await issueLink(means, saved.id, 'invitation')
  return { link, mailed: await means.mailer?.send(user.email, linkMail('invitation', link, partnerName)) ?? null }
}
