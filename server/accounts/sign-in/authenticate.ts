import type { Database, Transaction } from '#db/client.ts'
import { findLink, setPasswordByLink, useSignInLink } from '../link-store.ts'
import { hashPassword, isPassword } from '../password.ts'
import type { LinkKind } from '../policy.ts'
import { unlessSuspended } from '../store.ts'
import { countAttempt, resetAttempts } from '../throttle-store.ts'
import { type Throttled, isRecorded } from '../throttle.ts'
import { adoptIdentity, findByIdentity, findUser } from '../user-store.ts'
import { type SigningIn, type User, hashText, parseEmail } from '../user.ts'
import { SetPassword, UseLink } from '../wire.ts'
import { type Claims, type EmailTrust, trustedEmail } from './trusted-email.ts'

/**
 * The reason why a sign-in fails: wrong e-mail address or password; too many attempts; a used, expired or
 * unknown link; invalid input; a provider account that is not invited or has no verified e-mail address; a
 * suspended partner.
 */
export type SignInProblem =
  | 'wrong'
  | 'throttled'
  | 'expired'
  | 'invalid'
  | 'uninvited'
  | 'unverified'
  | 'suspended'

/** Labels of sign-in failures in the audit log. */
export const failures: Record<SignInProblem, string> = {
  wrong: 'wrong password',
  throttled: 'too many attempts',
  suspended: 'partner suspended',
  unverified: 'e-mail address not verified by the provider',
  uninvited: 'not invited with this account',
  expired: 'expired link',
  invalid: 'invalid form',
}

/**
 * Returns the user with this e-mail address and password. An unknown e-mail address and a wrong password give
 * the same result after the same time. Each attempt is counted before the password is checked, so that
 * parallel attempts cannot evade the limit. Attempts are counted per e-mail address, or per `device` for
 * browsers that have signed in before.
 */
export async function authenticate(
  db: Database,
  typed: string,
  password: string,
  device: string | null = null,
): Promise<SigningIn | Exclude<SignInProblem, 'throttled'> | Throttled> {
  const email = parseEmail(typed)
  if (email === null) return (await isPassword(password, undefined), 'wrong')
  const counter =
    device === null
      ? ({ purpose: 'sign-in', of: [email] } as const)
      : ({ purpose: 'device-sign-in', of: [email, device] } as const)
  const { isOver, retryAfterS } = await countAttempt(db, counter)
  if (isOver) return { problem: 'throttled', retryAfterS }
  const found = await findUser(db, email)
  if (!(await isPassword(password, found?.passwordHash ?? undefined))) return 'wrong'
  await resetAttempts(db, counter)
  const { passwordHash: _, ...user } = found!
  return unlessSuspended(db, user)
}

/**
 * Calls `write` for a failed sign-in, with the number of failures in 15 minutes. After the first failures,
 * calls `write` only for each power of ten, so that nobody can flood the audit log. Ignores unknown e-mail
 * addresses. Must run after the response, because the duration would reveal which addresses are known.
 */
export async function recordFailure(
  db: Database,
  typed: string,
  write: (user: User, attempts: number) => Promise<void>,
): Promise<void> {
  const email = parseEmail(typed)
  const user = email === null ? undefined : await findUser(db, email)
  if (user === undefined) return
  const { attempts } = await countAttempt(db, { purpose: 'sign-in-failure', of: [user.email] })
  if (isRecorded(attempts)) await write(user, attempts)
}

/**
 * Returns the reason to reject a person whom the provider has authenticated, or null. Returning users are
 * identified by the subject. New users must have an invitation, and the provider must vouch for the e-mail
 * address.
 */
export async function admit(
  db: Database,
  { issuer, trustEmail }: { issuer: string; trustEmail: EmailTrust },
  subject: string,
  claims: Claims | undefined,
): Promise<SignInProblem | null> {
  const known = await findByIdentity(db, { issuer, subject })
  if (known !== undefined) return (await unlessSuspended(db, known)) === 'suspended' ? 'suspended' : null
  const email = trustedEmail(issuer, trustEmail, claims)
  if (email === null) return 'unverified'
  const invited = await findUser(db, email)
  if (invited !== undefined && (await unlessSuspended(db, invited)) === 'suspended') return 'suspended'
  return (await adoptIdentity(db, { issuer, subject }, email)) ? null : 'uninvited'
}

/** Called in the same transaction when a password is set through a link. */
type PasswordSet = (tx: Transaction, user: User, kind: LinkKind) => Promise<void>

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
