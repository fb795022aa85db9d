import type { Database } from '#db/client.ts'
import { hashPassword, isPassword } from './sign-in/password.ts'
import { countAttempt, resetAttempts } from './sign-in/throttle-store.ts'
import type { Throttled } from './sign-in/throttle.ts'
import { readPasswordHash } from './user-store.ts'

/**
 * Checks the current password of a user. Returns its hash and the hash of the new password. Counts attempts
 * per session, so a stolen session can neither keep guessing nor lock the user out elsewhere.
 */
export async function checkPassword(
  db: Database,
  { id, sessionHash }: { id: number; sessionHash: string },
  current: string,
  next: string,
): Promise<{ from: string; to: string } | 'wrong' | Throttled> {
  const counter = { purpose: 'password-change', of: [sessionHash] } as const
  const { isOver, retryAfterS } = await countAttempt(db, counter)
  if (isOver) return { problem: 'throttled', retryAfterS }
  const from = await readPasswordHash(db, id)
  if (!(await isPassword(current, from ?? undefined))) return 'wrong'
  await resetAttempts(db, counter)
  return { from: from!, to: await hashPassword(next) }
}
