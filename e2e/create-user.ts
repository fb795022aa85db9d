import type { Database } from '#db/client.ts'
import { hashPassword } from '#server/accounts/password.ts'
import { saveUser } from '#server/accounts/user-store.ts'
import { type User, parseEmail } from '#server/accounts/user.ts'

const hashes = new Map<string, Promise<string>>()

/**
 * Creates a user like the product does, but hashes every password only once, because hashing takes longer
 * than everything else.
 */
export async function createUser(
  db: Database,
  { password, ...user }: Omit<User, 'id'> & { password: string },
): Promise<User> {
  const hash = hashes.get(password) ?? hashPassword(password)
  hashes.set(password, hash)
  return saveUser(db, { ...user, email: parseEmail(user.email)!, passwordHash: await hash })
}
