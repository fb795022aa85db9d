import { randomUUID } from 'node:crypto'
import { type Actor, type SignedIn, actorOfPage } from '#server/access/actor.ts'
import { type Client, noClient } from '#server/access/client.ts'
import type { Role } from '#server/accounts/role.ts'
import { findSession, insertSession } from '#server/accounts/session-store.ts'
import { saveUser } from '#server/accounts/user-store.ts'
import { hashText } from '#server/accounts/user.ts'
import type { Services } from '#server/runtime/services.ts'

/** Name of the session cookie over http. */
export const sessionCookie = 'partner-deals.session'

/** Hash of a password that nobody knows. */
const unknownPassword =
  '$argon2id$v=19$m=19456,t=2,p=1$fxemFMX34oduM2Oh9V4hDw$NxhcgBJF87WQVree6kI0v1/XdGXxyfRAWvjijNcUCBA'

/**
 * Creates a user with a session. Returns the procedures' context, viewing the partner `slug`, and the
 * session's cookie. The user has no password, because hashing takes longer than most tests. Operators have no
 * partner, regardless of `partnerId`.
 */
export async function signedIn(
  services: Services,
  {
    role,
    partnerId,
    slug = null,
    client = noClient,
  }: { role: Role; partnerId: number | null; slug?: string | null; client?: Client },
): Promise<{
  services: Services
  actor: Actor & { user: SignedIn }
  ifNoneMatch: () => false
  cookie: string
}> {
  const { db } = services
  const id = randomUUID()
  const user = await saveUser(db, {
    email: `${id}@example.com`,
    name: 'Ana',
    role,
    partnerId: role === 'operator' ? null : partnerId,
    passwordHash: unknownPassword,
  })
  const hash = hashText(id)
  const expiresAt = new Date(Date.now() + 600_000)
  await insertSession(db, { hash, userId: user.id, sessionsEnded: 0, expiresAt })
  const actor = await actorOfPage({ db }, (await findSession(db, hash))!, slug, client)
  return {
    services,
    actor: actor as Actor & { user: SignedIn },
    ifNoneMatch: () => false,
    cookie: `${sessionCookie}=${id}`,
  }
}
