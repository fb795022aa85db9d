import { eq, lt, sql } from 'drizzle-orm'
import type { Database } from '#db/client.ts'
import { throttles } from '#db/schema/accounts.ts'

/** Counts a try under a hash. How many there are with this one in the quarter of an hour since the first. */
export async function countTry(db: Database, hash: string): Promise<number> {
  await db.delete(throttles).where(lt(throttles.endsAt, sql`now()`))
  const [entry] = await db.insert(throttles).values({ hash, endsAt: sql`now() + interval '15 minutes'` })
    .onConflictDoUpdate({ target: throttles.hash, set: { tries: sql`${throttles.tries} + 1` } })
    .returning({ tries: throttles.tries })
  return entry!.tries
}

/** Forgets the tries under a hash. */
export async function forgetTries(db: Database, hash: string): Promise<void> {
  await db.delete(throttles).where(eq(throttles.hash, hash))
}
