import type { Database } from '#db/client.ts'
import { hashPassword } from './sign-in/password.ts'
import { saveUser } from './user-store.ts'
import { NewUser, type User } from './user.ts'

/**
 * Creates a user for the operator. An existing user with this e-mail address is changed and has to sign in
 * again.
 * @throws ZodError if the user is not valid
 */
export async function createUser(db: Database, given: NewUser): Promise<User> {
  const { password, ...user } = NewUser.parse(given)
  return saveUser(db, { ...user, passwordHash: await hashPassword(password) })
}
