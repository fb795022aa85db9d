import type { Database } from '#db/client.ts'
import { findUser } from '../user-store.ts'
import { type User, parseEmail } from '../user.ts'
import { countAttempt } from './throttle-store.ts'
import { isRecorded } from './throttle.ts'

/**
 * Calls `write` for a failed sign-in as a user, with how many there were in a quarter of an hour: for the first ones, and then
 * for every tenfold number, so that nobody can fill the audit. Does nothing for an address that is no user's, of which there
 * is no end. To be run behind the answer: how long that takes must not tell whose addresses are known.
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
