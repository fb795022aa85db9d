import type { Database } from '#db/client.ts'
import { saveUser } from '../user-store.ts'
import { type User, parseEmail } from '../user.ts'
import { hashPassword } from './password.ts'

/** Creates a user. If a user with this e-mail address exists, changes that user and ends their sessions. */
export async function createUser(
  db: Database,
  { password, ...user }: Omit<User, 'id'> & { password: string },
): Promise<User> {
  const email = parseEmail(user.email)!
  return saveUser(db, { ...user, email, passwordHash: await hashPassword(password) })
}
