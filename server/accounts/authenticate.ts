import type { Database } from '#db/client.ts'
import { isPassword } from './password.ts'
import { refuseSuspended } from './store.ts'
import { countTry, forgetTries } from './tries-store.ts'
import { findUser } from './user-store.ts'
import { type User, hashText, parseEmail, triesMax } from './user.ts'

/**
 * Why somebody is not let in: the pair of address and password is wrong; there were too many tries; the link is used,
 * expired or unknown; what was typed beside it cannot be; the provider's account belongs to nobody here, or its address is not verified; the partner is suspended.
 */
export type SignInProblem = 'wrong' | 'throttled' | 'expired' | 'invalid' | 'uninvited' | 'unverified' | 'suspended'

/**
 * The user with this address and password. An unknown address takes as long as a wrong password, and reads the same.
 * Tries are counted before they are looked at, so that many at once are no way around the limit: for the address, or,
 * when the browser is one that was let in before, for that `device` alone.
 */
export async function authenticate(db: Database, address: string, password: string, device: string | null = null): Promise<User | SignInProblem> {
  const counter = hashText(device === null ? address : `${address} ${device}`)
  if (await countTry(db, counter) > triesMax) return 'throttled'
  const email = parseEmail(address)
  const found = email === null ? undefined : await findUser(db, email)
  if (!await isPassword(password, found?.passwordHash ?? undefined)) return 'wrong'
  await forgetTries(db, counter)
  const { passwordHash: _, ...user } = found!
  return refuseSuspended(db, user)
}
