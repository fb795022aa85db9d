import NextAuth from 'next-auth'
import { cookies } from 'next/headers'
import { NextRequest } from 'next/server'
import { cache } from 'react'
import { ApiError, statusOf, toApiError, tooMany } from '../../errors.ts'
import { sharedServices } from '../../runtime/services.ts'
import { busy } from '../password.ts'
import type { Session } from '../session-store.ts'
import { recordVisit } from '../user-store.ts'
import { hashText } from '../user.ts'
import { type SignInRejectedError, authConfig, refusedIn } from './auth-config.ts'
import { cookieName, cookieNames, idTokenCookie } from './cookies.ts'
import { endSessionUrl } from './provider.ts'

export { SignInRejectedError } from './auth-config.ts'

// Reads the configuration on first use, because there is no configuration at build time.
const nextAuth = NextAuth(() => {
  const services = sharedServices()
  // In a custom server, Next.js does not know its own URL, and a proxy may not pass the URL on.
  process.env['AUTH_URL'] = services.config.publicUrl
  return authConfig(services)
})

/**
 * Server actions that sign in and out. The method is `credentials` (`email`, `password`), `link` (`token`,
 * `password`, `name`), or `oidc`, which redirects the browser to the provider.
 */
export const { signIn, signOut } = nextAuth

/**
 * Handles requests under /api/auth. Our own forms use server actions instead; a program that posts here too
 * often gets a 429, or a 503 while too many users sign in.
 */
export async function answerAuth(request: NextRequest): Promise<Response> {
  const { config } = sharedServices()
  const { pathname, searchParams } = request.nextUrl
  // next-auth treats an invalid URL as a configuration error and responds with status 500.
  if (!searchParams.getAll('callbackUrl').every(isUrl))
    return respondWithError(
      new ApiError('BAD_REQUEST', 'The request is not valid', { errors: ['callbackUrl: must be a URL'] }),
    )
  const forwarded = new NextRequest(request.nextUrl, request)
  const callbackUrl = forwarded.cookies.get(cookieNames(config).callbackUrl)?.value ?? '/'
  if (!isUrl(callbackUrl)) forwarded.cookies.delete(cookieNames(config).callbackUrl)
  // When a browser returns from the provider, the new session replaces any earlier session.
  if (pathname.startsWith('/api/auth/callback/')) forwarded.cookies.delete(cookieNames(config).sessionToken)
  const seen: { refused?: SignInRejectedError } = {}
  const response = await refusedIn.run(seen, () =>
    nextAuth.handlers[request.method === 'POST' ? 'POST' : 'GET'](forwarded),
  )
  const { code: problem, retryAfterS } = seen.refused ?? {}
  if (problem !== 'busy' && retryAfterS === undefined) return response
  return respondWithError(retryAfterS === undefined ? busy() : tooMany('Too many attempts', retryAfterS))
}

/**
 * Returns true if next-auth accepts the text as a URL. `localUrl` decides whether to redirect to that URL.
 */
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

/** Returns the provider's sign-out URL for this browser, or null if there is none. */
export async function providerSignOutUrl(): Promise<string | null> {
  const jar = await cookies()
  const { config } = sharedServices()
  const idToken = jar.get(cookieName(config, idTokenCookie))?.value
  return config.oidc === null || idToken === undefined ? null : endSessionUrl(config.oidc, idToken)
}

/** Returns true if the requesting browser was signed in and its session has ended. */
export async function hasEndedSession(): Promise<boolean> {
  const jar = await cookies()
  return jar.has(cookieNames(sharedServices().config).sessionToken) && (await signedIn()) === null
}

/**
 * Returns the session of the requesting browser, or null. If the database is unavailable, next-auth's own
 * `auth()` would report no session, and users would have to sign in again.
 * @throws ApiError 503 while the database is down
 */
export const signedIn = cache(async (): Promise<Session | null> => {
  // Must come first: reading cookies keeps Next.js from prerendering the page at build time, when services do
  // not exist.
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
    // Next.js may log errors thrown here, and the database driver's messages reveal too much.
    throw toApiError(error)
  }
})
