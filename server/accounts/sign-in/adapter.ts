import type { Adapter } from 'next-auth/adapters'
import type { Database } from '#db/client.ts'
import { deleteSession, findSession, insertSession } from '../user-store.ts'
import { type User, hashText } from '../user.ts'
import { findByIdentity } from './identity-store.ts'

/**
 * Returns the adapter through which next-auth stores the sessions of existing users. `userAgent` returns the
 * browser's `User-Agent`.
 */
export function makeAdapter(db: Database, issuer: string, userAgent: () => Promise<string>): Adapter {
  return {
    async createSession({ sessionToken, userId, expires }) {
      await insertSession(db, {
        hash: hashText(sessionToken),
        userId: Number(userId),
        expiresAt: expires,
        userAgent: await userAgent(),
      })
      return { sessionToken, userId, expires }
    },
    async getSessionAndUser(token) {
      const session = await findSession(db, hashText(token))
      return session === undefined
        ? null
        : {
            session: { sessionToken: token, userId: String(session.user.id), expires: session.expiresAt },
            user: asAdapterUser(session.user),
          }
    },
    deleteSession: (token) => deleteSession(db, hashText(token)),
    async getUserByAccount({ providerAccountId }) {
      const user = await findByIdentity(db, { issuer, subject: providerAccountId })
      return user === undefined ? null : asAdapterUser(user)
    },
    createUser: notHere,
    getUser: notHere,
    getUserByEmail: notHere,
    updateUser: notHere,
    linkAccount: notHere,
    updateSession: notHere,
  }
}

const asAdapterUser = ({ id, name, email }: User) => ({ id: String(id), name, email, emailVerified: null })

// Required of a database adapter, but never called by what we use.
const notHere = () => Promise.reject(new Error('Sign-in does not do this'))
