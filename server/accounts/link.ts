import { randomBytes } from 'node:crypto'
import type { Database, Transaction } from '#db/client.ts'
import { insertLink } from './link-store.ts'
import { linkMail } from './mail.ts'
import type { Mailer } from './mailer.ts'
import { type LinkKind, linkLifetimeMs } from './policy.ts'
import { countAttempt } from './throttle-store.ts'
import { type NewMember, findUser, saveInvited } from './user-store.ts'
import { hashText } from './user.ts'

interface Deps {
  db: Database | Transaction
  publicUrl: string
}

/**
 * Creates a link for a user and returns the URL. Replaces older links of the same kind, but a publicly
 * requested link (`isRequested`) does not replace a link that an operator or admin issued.
 */
export async function issueLink(
  { db, publicUrl }: Deps,
  userId: number,
  kind: LinkKind,
  isRequested = false,
): Promise<string> {
  // Only the hash of the token is stored.
  const token = randomBytes(32).toString('base64url')
  const expiresAt = new Date(Date.now() + linkLifetimeMs[kind])
  await insertLink(db, { hash: hashText(token), userId, kind, expiresAt, isRequested })
  return `${publicUrl}/link/${token}`
}

/**
 * Mails a link to the user with this e-mail address (in lower case), if there is one. Sends at most five
 * e-mails in 15 minutes.
 */
export async function sendLink(
  deps: { db: Database; publicUrl: string; mailer: Mailer },
  email: string,
  kind: LinkKind,
): Promise<void> {
  if (await isMailedTooOften(deps.db, email, kind)) return
  const user = await findUser(deps.db, email)
  if (user === undefined) return
  const link = await issueLink(deps, user.id, kind, true)
  await deps.mailer.send(email, linkMail(kind, link, null), purposeOf(kind, link))
}

/**
 * Invites a user and returns the invitation link. Returns undefined if a user with this e-mail address has
 * already joined or belongs to another partner.
 */
export async function invite(deps: Deps, user: NewMember): Promise<string | undefined> {
  return deps.db.transaction(async (tx) => {
    const saved = await saveInvited(tx, user)
    return saved && issueLink({ ...deps, db: tx }, saved.id, 'invitation')
  })
}

/**
 * Mails a link. An invitation is sent in the partner's name. Returns false if the mail server rejects the
 * e-mail or if the address has received five e-mails in 15 minutes; null if there is no mail server.
 */
export async function mailLink(
  { db, mailer }: { db: Database; mailer: Mailer | null },
  email: string,
  link: string,
  partnerName: string | null,
  kind: LinkKind = 'invitation',
): Promise<boolean | null> {
  if (mailer === null) return null
  return (
    !(await isMailedTooOften(db, email, kind)) &&
    mailer.send(email, linkMail(kind, link, partnerName), purposeOf(kind, link))
  )
}

const purposeOf = (kind: LinkKind, link: string) => ({
  linkHash: hashText(link.slice(link.lastIndexOf('/') + 1)),
  usefulMs: linkLifetimeMs[kind],
})

// Limits e-mails, because otherwise anybody could flood a mailbox by requesting links.
const isMailedTooOften = async (db: Database, email: string, kind: LinkKind) =>
  (await countAttempt(db, { purpose: `${kind}-mail`, of: [email] })).isOver
