import NextAuth from 'next-auth'
import { cookies } from 'next/headers'
import { NextRequest } from 'next/server'
import { cache } from 'react'
import { ApiError, statusOf, toApiError, tooMany } from '../../errors.ts'
import { sharedServices } from '../../runtime/services.ts'
import type { Session } from '../session-store.ts'
import { recordVisit } from '../user-store.ts'
import { hashText } from '../user.ts'
import { type SignInRejectedError, authConfig, refusedIn } from './auth-config.ts'
import { cookieName, cookieNames, idTokenCookie } from './cookie-name.ts'
import { busy } from './password.ts'
import { endSessionUrl } from './provider-fetch.ts'

export { SignInRejectedError } from './auth-config.ts'

// The configuration is read on use, because a build has none.
const nextAuth = NextAuth(() => {
  const services = sharedServices()
  // Inside a custom server Next does not know its URL, and a proxy may not pass it on.
  process.env['AUTH_URL'] = services.config.publicUrl
  return authConfig(services)
})

/**
 * Sign-in and sign-out as server actions. Sign in with `credentials` (`email`, `password`), `link` (`token`,
 * `password`, `name`) or `oidc`, which redirects the browser to the provider.
 */
export const { signIn, signOut } = nextAuth

/**
 * Responds to requests under /api/auth. Our forms sign in through an action; a program that posts here too
 * often gets a 429, or a 503 while too many users sign in.
 */
export async function answerAuth(request: NextRequest): Promise<Response> {
  const { config } = sharedServices()
  const { pathname, searchParams } = request.nextUrl
  // next-auth treats an invalid URL as a configuration error and responds with 500.
  if (!searchParams.getAll('callbackUrl').every(isUrl))
    return respondWithError(
      new ApiError('BAD_REQUEST', 'The request is not valid', { errors: ['callbackUrl: must be a URL'] }),
    )
  const forwarded = new NextRequest(request.nextUrl, request)
  const callbackUrl = forwarded.cookies.get(cookieNames(config).callbackUrl)?.value ?? '/'
  if (!isUrl(callbackUrl)) forwarded.cookies.delete(cookieNames(config).callbackUrl)
  // A return from the provider replaces any earlier session of this browser.
  if (pathname.startsWith('/api/auth/callback/')) forwarded.cookies.delete(cookieNames(config).sessionToken)
  const seen: { refused?: SignInRejectedError } = {}
  const response = await refusedIn.run(seen, () =>
    nextAuth.handlers[request.method === 'POST' ? 'POST' : 'GET'](forwarded),
  )
  const { code: problem, retryAfterS } = seen.refused ?? {}
  if (problem !== 'busy' && retryAfterS === undefined) return response
  return respondWithError(retryAfterS === undefined ? busy() : tooMany('Too many attempts', retryAfterS))
}

/** Returns whether next-auth accepts the text as a URL; `localUrl` decides where it leads. */
const isUrl = (text: string) =>
  text === '' ||
  (text.startsWith('/')
    ? URL.canParse(text, 'https://here.invalid')
    : /^https?:/i.test(text) && URL.canParse(text))

function respondWithError({ code, message, errors, headers }: ApiError): Response {
  return Response.json(
    { code, message, errors },
    { status: statusOf[code], headers: { ...headers, 'Cache-Control': 'no-store' } },
  )
}

/** Returns the provider's sign-out URL for this browser; null if it has none. */
export async function providerSignOutUrl(): Promise<string | null> {
  const jar = await cookies()
  const { config } = sharedServices()
  const idToken = jar.get(cookieName(config, idTokenCookie))?.value
  return config.oidc === null || idToken === undefined ? null : endSessionUrl(config.oidc, idToken)
}

/** Returns whether the requesting browser was signed in and its session has ended. */
export async function hasEndedSession(): Promise<boolean> {
  const jar = await cookies()
  return jar.has(cookieNames(sharedServices().config).sessionToken) && (await signedIn()) === null
}

/**
 * Returns the session of the requesting browser, or null. While the database is down, next-auth's own
 * `auth()` would report no session and users would be sent to sign in again.
 * @throws ApiError 503 while the database is down
 */
export const signedIn = cache(async (): Promise<Session | null> => {
  // First, because this tells Next not to prerender the page at build time, when there are no services.
  const jar = await cookies()
  const { db, config, sessions, background } = sharedServices()
  const token = jar.get(cookieNames(config).sessionToken)?.value
  if (token === undefined) return null
  try {
    const session = (await sessions.find(hashText(token))) ?? null
    if (session?.visitIsNews === true)
      background('visit', session.user.id, () => recordVisit(db, session.user.id))
    return session
  } catch (error) {
    // Errors thrown here may end up in Next's log, and a driver's message reveals too much for that.
    throw toApiError(error)
  }
})
