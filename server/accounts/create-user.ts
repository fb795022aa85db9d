import type { Database } from '#db/client.ts'
import { hashPassword } from './sign-in/password.ts'
import { saveUser } from './user-store.ts'
import { NewUser, type User } from './user.ts'

/**
 * Makes a user. For the operator: who has this address already is changed to what is given here, and has to sign in again.
 * @throws ZodError when the user cannot be like that
 */
export async function createUser(db: Database, given: NewUser): Promise<User> {
  const { password, ...user } = NewUser.parse(given)
  return saveUser(db, { ...user, passwordHash: await hashPassword(password) })
}
