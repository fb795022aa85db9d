import { randomBytes } from 'node:crypto'
import NextAuth, { AuthError, CredentialsSignin, type NextAuthConfig } from 'next-auth'
import type { Adapter } from 'next-auth/adapters'
import Credentials from 'next-auth/providers/credentials'
import { cookies } from 'next/headers'
import { NextRequest } from 'next/server'
import { cache } from 'react'
import { toRefusal } from '../errors.ts'
import { type Services, sharedServices } from '../services.ts'
import { type SignInProblem, authenticate } from './authenticate.ts'
import { type Session, deleteSession, findSession, insertSession } from './user-store.ts'
import { hashText, sessionMaxAgeS } from './user.ts'

/** Nobody was let in; `code` says why, in the address of the sign-in page too. */
export class SignInRefused extends CredentialsSignin {
  constructor(problem: SignInProblem) {
    super()
    this.code = problem
  }
}

// Its configuration is read when it is asked something: a build has none.
const nextAuth = NextAuth(() => configure(sharedServices()))

/** Sign-in and sign-out as actions of pages. */
export const { signIn, signOut } = nextAuth

/** Answers the requests under /api/auth. */
export function answerAuth(request: NextRequest): Promise<Response> {
  // Inside a server of our own Next does not know its address, and next-auth would send people to localhost:3000.
  const url = new URL(request.nextUrl.pathname + request.nextUrl.search, sharedServices().config.publicUrl)
  return nextAuth.handlers[request.method === 'POST' ? 'POST' : 'GET'](new NextRequest(url, request))
}

/**
 * The session of the browser that asks, or null.
 * next-auth's own `auth()` would say nobody while the database is away, and people would be sent to sign in again.
 * @throws Refusal 503 while the database is away
 */
export const signedIn = cache(async (): Promise<Session | null> => {
  // First, because this is what tells Next that the page is not one to be made at the build, where there are no services.
  const jar = await cookies()
  const { db, config } = sharedServices()
  const token = jar.get(cookieNames(config).sessionToken)?.value
  if (token === undefined) return null
  try {
    return await findSession(db, hashText(token)) ?? null
  } catch (error) {
    // What is thrown here may end up in Next's log, and a driver's message says too much for that.
    throw toRefusal(error)
  }
})

function cookieNames({ publicUrl }: Services['config']) {
  const prefix = isSecure(publicUrl) ? '__Host-' : ''
  return {
    sessionToken: `${prefix}partner-deals.session`,
    callbackUrl: `${prefix}partner-deals.callback-url`,
    csrfToken: `${prefix}partner-deals.csrf-token`,
  }
}

const isSecure = (publicUrl: string) => publicUrl.startsWith('https:')

function configure({ db, config, log }: Services): NextAuthConfig {
  const { sessionToken, callbackUrl, csrfToken } = cookieNames(config)
  return {
    basePath: '/api/auth',
    secret: config.authSecret,
    trustHost: true,
    pages: { signIn: '/sign-in', signOut: '/deals', error: '/sign-in' },
    useSecureCookies: isSecure(config.publicUrl),
    cookies: { sessionToken: { name: sessionToken }, callbackUrl: { name: callbackUrl }, csrfToken: { name: csrfToken } },
    adapter: makeAdapter(db),
    // With an adapter sessions are in the database. To say so (`strategy`) would make next-auth refuse credentials.
    session: { maxAge: sessionMaxAgeS, updateAge: sessionMaxAgeS },
    // For credentials next-auth makes no session in the database; this is where it asks what to put into the cookie.
    jwt: {
      async encode({ token }) {
        const text = randomBytes(32).toString('base64url')
        const expiresAt = new Date(Date.now() + sessionMaxAgeS * 1000)
        await insertSession(db, { hash: hashText(text), userId: Number(token?.sub), expiresAt })
        return text
      },
    },
    callbacks: {
      // What /api/auth/session tells the browser: without this, the token that the cookie hides from scripts as well.
      session: ({ session, user }) => ({ user: { name: user.name, email: user.email }, expires: session.expires }),
    },
    providers: [Credentials({
      credentials: { email: { type: 'email' }, password: { type: 'password' } },
      async authorize({ email, password }) {
        const outcome = await authenticate(db, asText(email), asText(password))
        if (typeof outcome === 'string') throw new SignInRefused(outcome)
        return { id: String(outcome.id), name: outcome.name, email: outcome.email }
      },
    })],
    logger: {
      error(error) {
        // Wrong passwords are no failure of ours. Messages stay out of the log: they can say who it was.
        if (error instanceof CredentialsSignin) return
        const { type, cause } = error instanceof AuthError ? error : { type: error.name }
        log.error({ error: type, cause: cause?.err?.name }, 'sign-in failed')
      },
      warn: (code) => log.warn({ code }, 'sign-in'),
      debug: () => {},
    },
  }
}

const asText = (value: unknown) => (typeof value === 'string' ? value : '')

const notHere = () => Promise.reject(new Error('Users are made by the operator, not by signing in'))

/** What next-auth does with sessions itself: read them for /api/auth/session, and end them. It asks for more, and uses none of that. */
function makeAdapter(db: Services['db']): Adapter {
  return {
    async getSessionAndUser(token) {
      const session = await findSession(db, hashText(token))
      if (session === undefined) return null
      const { id, name, email } = session.user
      return {
        session: { sessionToken: token, userId: String(id), expires: session.expiresAt },
        user: { id: String(id), name, email, emailVerified: null },
      }
    },
    deleteSession: (token) => deleteSession(db, hashText(token)),
    createUser: notHere,
    getUser: notHere,
    getUserByEmail: notHere,
    getUserByAccount: notHere,
    updateUser: notHere,
    linkAccount: notHere,
    createSession: notHere,
    updateSession: notHere,
  }
}
