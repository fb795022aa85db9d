import type { Database } from '#db/client.ts'
import { unlessSuspended } from '../store.ts'
import { findUser } from '../user-store.ts'
import { type User, parseEmail, type SigningIn } from '../user.ts'
import { isPassword } from './password.ts'
import { countAttempt, resetAttempts } from './throttle-store.ts'
import { isRecorded, type Throttled } from './throttle.ts'

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
