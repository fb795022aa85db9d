import { eq, lt, sql } from 'drizzle-orm'
import type { Database } from '#db/client.ts'
import { signInTries } from '#db/schema/accounts.ts'

/** Counts a try under a hash. How many there are with this one in the quarter of an hour since the first. */
export async function countTry(db: Database, hash: string): Promise<number> {
  await db.delete(signInTries).where(lt(signInTries.since, sql`now() - interval '15 minutes'`))
  const [entry] = await db.insert(signInTries).values({ addressHash: hash })
    .onConflictDoUpdate({ target: signInTries.addressHash, set: { tries: sql`${signInTries.tries} + 1` } })
    .returning({ tries: signInTries.tries })
  return entry!.tries
}

/** Forgets the tries under a hash. */
export async function forgetTries(db: Database, hash: string): Promise<void> {
  await db.delete(signInTries).where(eq(signInTries.addressHash, hash))
}
