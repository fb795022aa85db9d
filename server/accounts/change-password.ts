import type { Database } from '#db/client.ts'
import { replacePassword } from './link-store.ts'
import { hashPassword, isPassword } from './password.ts'
import { countTry, forgetTries } from './tries-store.ts'
import { readPasswordHash } from './user-store.ts'
import { hashText, triesMax } from './user.ts'

/**
 * Sets the password of a user who knows the present one; all sessions but the one it is done in end.
 * Tries are counted for that session: whoever has got hold of one cannot guess on, nor keep the user from it elsewhere.
 */
export async function changePassword(db: Database, { id, sessionHash }: { id: number; sessionHash: string }, current: string, next: string): Promise<'changed' | 'wrong' | 'throttled'> {
  const counter = hashText(`session ${sessionHash}`)
  if (await countTry(db, counter) > triesMax) return 'throttled'
  const from = await readPasswordHash(db, id)
  if (!await isPassword(current, from ?? undefined)) return 'wrong'
  await forgetTries(db, counter)
  const changed = await replacePassword(db, { userId: id, from: from!, to: await hashPassword(next), keep: sessionHash })
  return changed ? 'changed' : 'wrong'
}
