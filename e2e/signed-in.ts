import { randomUUID } from 'node:crypto'
import type { Database } from '#db/client.ts'
import { type Actor, type SignedIn, actorOfPage } from '#server/access/actor.ts'
import { type Client, noClient } from '#server/access/client.ts'
import type { Role } from '#server/accounts/role.ts'
import { type NewSession, findSession, insertSession } from '#server/accounts/session-store.ts'
import { saveUser } from '#server/accounts/user-store.ts'
import { hashText } from '#server/accounts/user.ts'
import { toApiError } from '#server/errors.ts'
import type { Services } from '#server/runtime/services.ts'

/** Name of the session cookie over http. */
export const sessionCookie = 'partner-deals.session'

/** Hash of a password that nobody knows. */
const unknownPassword =
  '$argon2id$v=19$m=19456,t=2,p=1$fxemFMX34oduM2Oh9V4hDw$NxhcgBJF87WQVree6kI0v1/XdGXxyfRAWvjijNcUCBA'

/** Starts a session of a user. Returns its hash, or null if all sessions have ended since the sign-in began. */
export async function beginSession(
  db: Database,
  userId: number,
  change: Partial<NewSession> = {},
): Promise<string | null> {
  const hash = hashText(randomUUID())
  const expiresAt = new Date(Date.now() + 600_000)
  const session = { hash, userId, sessionsEnded: 0, expiresAt, ...change }
  return (await insertSession(db, session)) ? session.hash : null
}

/** Returns the procedures' context of a browser with this session that views the partner `slug`. */
export async function contextOf(
  services: Services,
  hash: string,
  slug: string | null = null,
  client = noClient,
) {
  const session = await findSession(services.db, hash)
  const actor = session === undefined ? null : await actorOfPage(services, session, slug, client)
  return { services, actor, ifNoneMatch: () => false }
}

/** Returns the error of a rejected call as the portal sees it. */
export async function refusalOf(call: Promise<unknown>) {
  const { code, message, errors, headers } = toApiError(
    await call.then(
      () => {
        throw new Error('was accepted')
      },
      (error: unknown) => error,
    ),
  )
  return { code, message, errors, headers }
}

/** Returns the code of the error of a rejected call. */
export const codeOf = async (asked: Promise<unknown>) => (await refusalOf(asked)).code

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
  ifNoneMatch: () => boolean
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
  const hash = (await beginSession(db, user.id, { hash: hashText(id) }))!
  const context = await contextOf(services, hash, slug, client)
  return {
    ...context,
    actor: context.actor as Actor & { user: SignedIn },
    cookie: `${sessionCookie}=${id}`,
  }
}
