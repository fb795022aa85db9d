import type { Database, Transaction } from '#db/client.ts'
import { findLink, setPasswordByLink, useSignInLink } from '../link-store.ts'
import type { LinkKind } from '../link.ts'
import { unlessSuspended } from '../store.ts'
import { type SigningIn, type User, hashText } from '../user.ts'
import { SetPassword, UseLink } from '../wire.ts'
import type { SignInProblem } from './authenticate.ts'
import { hashPassword } from './password.ts'

/** Called in the same transaction when a password is set through a link. */
export type PasswordSet = (tx: Transaction, user: User, kind: LinkKind) => Promise<void>

/**
 * Uses up a link and returns the user. A sign-in link only signs in. Other links set the password and call
 * `passwordSet`; an invitation also sets the name if given.
 */
export async function openLink(
  db: Database,
  form: unknown,
  passwordSet: PasswordSet,
): Promise<SigningIn | SignInProblem> {
  const parsed = UseLink.safeParse(form)
  if (!parsed.success) return 'expired'
  const hash = hashText(parsed.data.token)
  const link = await findLink(db, hash)
  if (link === undefined) return 'expired'
  // The link stays usable, so that it works when the partner is resumed.
  if ((await unlessSuspended(db, link)) === 'suspended') return 'suspended'
  if (link.kind === 'sign-in') return (await useSignInLink(db, hash)) ?? 'expired'
  const { success, data } = SetPassword.safeParse(form)
  if (!success) return 'invalid'
  const name = link.kind === 'invitation' ? data.name : undefined
  return (
    (await setPasswordByLink(
      db,
      hash,
      { name, passwordHash: await hashPassword(data.password) },
      (tx, user) => passwordSet(tx, user, link.kind),
    )) ?? 'expired'
  )
}
