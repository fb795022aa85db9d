import { and, eq } from 'drizzle-orm'
import type { Database } from '#db/client.ts'
import { identities, users } from '#db/schema/accounts.ts'
import { bySignIn, signInColumns } from '../user-column-store.ts'
import type { SigningIn } from '../user.ts'

/**
 * A user's identity at an OpenID Connect provider. An issuer never assigns the same subject to another user
 * (OpenID Connect Core 1.0, section 2).
 */
export interface Identity {
  issuer: string
  subject: string
}

/** Returns the user with this identity, or undefined. @proof the identity, signed by the issuer */
export async function findByIdentity(
  db: Database,
  { issuer, subject }: Identity,
): Promise<SigningIn | undefined> {
  const [user] = await db
    .select(signInColumns)
    .from(identities)
    .innerJoin(users, eq(users.id, identities.userId))
    .where(and(eq(identities.issuer, issuer), eq(identities.subject, subject)))
  return user
}

/**
 * Links the identity to the user with this e-mail address. Returns false if there is no such user, or if the
 * user already has another identity at the issuer, because an e-mail address may be reassigned to another
 * person.
 * @proof the identity, signed by the issuer
 */
export async function adoptIdentity(
  db: Database,
  { issuer, subject }: Identity,
  email: string,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const [user] = await tx
      .select({ id: users.id })
      .from(users)
      .where(eq(users.email, email))
      .orderBy(...bySignIn)
      .limit(1)
      .for('update')
    if (user === undefined) return false
    const [other] = await tx
      .select({ subject: identities.subject })
      .from(identities)
      .where(and(eq(identities.issuer, issuer), eq(identities.userId, user.id)))
    if (other !== undefined) return other.subject === subject
    await tx.insert(identities).values({ issuer, subject, userId: user.id })
    return true
  })
}
