import type { Database } from '#db/client.ts'
import { findUser } from '../user-store.ts'
import { type User, parseEmail } from '../user.ts'
import { countAttempt } from './throttle-store.ts'
import { isRecorded } from './throttle.ts'

/**
 * Calls `write` for a failed sign-in of a user, with the number of failures in 15 minutes: for the first
 * ones, then for each power of ten, so that nobody can flood the audit. Ignores e-mail addresses without a
 * user, which are unlimited in number. Run it after the response: its duration must not reveal which e-mail
 * addresses are known.
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
