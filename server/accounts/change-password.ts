import type { Database } from '#db/client.ts'
import { hashPassword, isPassword } from './password.ts'
import { countTry, forgetTries } from './tries-store.ts'
import { readPasswordHash } from './user-store.ts'
import { hashText, triesMax } from './user.ts'

/**
 * The hashes of the present and the next password of a user who knows the present one.
 * Tries are counted for the session: whoever has got hold of one cannot guess on, nor keep the user from it elsewhere.
 */
export async function checkPassword(db: Database, { id, sessionHash }: { id: number; sessionHash: string }, current: string, next: string): Promise<{ from: string; to: string } | 'wrong' | 'throttled'> {
  const counter = hashText(`session ${sessionHash}`)
  if (await countTry(db, counter) > triesMax) return 'throttled'
  const from = await readPasswordHash(db, id)
  if (!await isPassword(current, from ?? undefined)) return 'wrong'
  await forgetTries(db, counter)
  return { from: from!, to: await hashPassword(next) }
}
