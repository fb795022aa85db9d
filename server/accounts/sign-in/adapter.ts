import type { Adapter } from 'next-auth/adapters'
import type { Database } from '#db/client.ts'
import { endAccess } from '../access-store.ts'
import { findSession, insertSession } from '../session-store.ts'
import { findByIdentity } from '../user-store.ts'
import { type SigningIn, type User, hashText } from '../user.ts'

/**
 * Returns the adapter with which next-auth stores sessions of existing users. `userAgent` returns the
 * browser's `User-Agent`.
 */
export function makeAdapter(db: Database, issuer: string, userAgent: () => Promise<string>): Adapter {
  return {
    async createSession({ sessionToken, userId: owner, expires }) {
      const isInserted = await insertSession(db, {
        hash: hashText(sessionToken),
        ...readSessionOwner(owner),
        expiresAt: expires,
        userAgent: await userAgent(),
      })
      if (!isInserted) throw new SessionsEndedError()
      return { sessionToken, userId: owner, expires }
    },
    async getSessionAndUser(token) {
      const session = await findSession(db, hashText(token))
      return session === undefined
        ? null
        : {
            session: { sessionToken: token, userId: String(session.user.id), expires: session.expiresAt },
            user: asAdapterUser(session.user, String(session.user.id)),
          }
    },
    deleteSession: (token) => endAccess(db, { sessionHash: hashText(token) }),
    async getUserByAccount({ providerAccountId }) {
      const user = await findByIdentity(db, { issuer, subject: providerAccountId })
      return user === undefined ? null : asAdapterUser(user, sessionOwner(user))
    },
    createUser: notHere,
    getUser: notHere,
    getUserByEmail: notHere,
    updateUser: notHere,
    linkAccount: notHere,
    updateSession: notHere,
  }
}

/** Thrown if all sessions of the user were ended during the sign-in. */
export class SessionsEndedError extends Error {
  override name = 'SessionsEndedError'
}

/**
 * Encodes the user and the session counter as a next-auth user ID, which is the only value that next-auth
 * passes on.
 */
export const sessionOwner = ({ id, sessionsEnded }: SigningIn): string => `${id}.${sessionsEnded}`

function readSessionOwner(owner: string) {
  const [userId, sessionsEnded] = owner.split('.').map(Number)
  return { userId: userId!, sessionsEnded: sessionsEnded! }
}

const asAdapterUser = ({ name, email }: User, id: string) => ({ id, name, email, emailVerified: null })

// A database adapter must have these functions, but the sign-in methods in use never call any.
const notHere = () => Promise.reject(new Error('Sign-in does not do this'))
