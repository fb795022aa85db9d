import type { Database } from '#db/client.ts'
import { unlessSuspended } from '../store.ts'
import { findUser } from '../user-store.ts'
import { type User, parseEmail } from '../user.ts'
import { isPassword } from './password.ts'
import { countAttempt, forgetAttempts } from './throttle-store.ts'
import type { Throttled } from './throttle.ts'

/**
 * Why somebody is not let in: the pair of address and password is wrong; there were too many attempts; the link is used, expired or unknown; what was typed
 * beside it cannot be; the provider's account belongs to nobody here, or its address is not verified; the partner is suspended.
 */
export type SignInProblem =
  | 'wrong'
  | 'throttled'
  | 'expired'
  | 'invalid'
  | 'uninvited'
  | 'unverified'
  | 'suspended'

/**
 * Returns the user with this address and password. An unknown address, or a text that is none, takes as long as a wrong
 * password, and reads the same. Tries are counted before the password is checked, so that many at once are no way around
 * the limit: for the address, or, when the browser is one that was let in before, for that `device` alone.
 */
export async function authenticate(
  db: Database,
  typed: string,
  password: string,
  device: string | null = null,
): Promise<User | Exclude<SignInProblem, 'throttled'> | Throttled> {
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
  await forgetAttempts(db, counter)
  const { passwordHash: _, ...user } = found!
  return unlessSuspended(db, user)
}
