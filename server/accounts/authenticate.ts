import type { Database } from '#db/client.ts'
import { isPassword } from './password.ts'
import { countTry, findUser, forgetTries } from './user-store.ts'
import { type User, hashText, parseEmail, triesMax } from './user.ts'

/** Why somebody is not let in: the pair of address and password is wrong, or the address was tried too often. */
export type SignInProblem = 'wrong' | 'throttled'

/**
 * The user with this address and password. An unknown address takes as long as a wrong password, and reads the same.
 * Tries are counted before they are looked at, so that many at once are no way around the limit.
 */
export async function authenticate(db: Database, typedEmail: string, password: string): Promise<User | SignInProblem> {
  const address = typedEmail.trim().toLowerCase()
  const addressHash = hashText(address)
  if (await countTry(db, addressHash) > triesMax) return 'throttled'
  const email = parseEmail(address)
  const found = email === null ? undefined : await findUser(db, email)
  if (!await isPassword(password, found?.passwordHash ?? undefined)) return 'wrong'
  await forgetTries(db, addressHash)
  const { passwordHash: _, ...user } = found!
  return user
}
