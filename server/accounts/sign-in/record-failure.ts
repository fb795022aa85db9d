import type { Database } from '#db/client.ts'
import { findUser } from '../user-store.ts'
import { type User, parseEmail } from '../user.ts'
import { countAttempt } from './throttle-store.ts'
import { isRecorded } from './throttle.ts'

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
