import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import NextAuth, { AuthError, CredentialsSignin, type NextAuthConfig } from 'next-auth'
import Credentials from 'next-auth/providers/credentials'
import { cookies, headers } from 'next/headers'
import { NextRequest } from 'next/server'
import { cache } from 'react'
import { actorOfSession } from '../../access/actor.ts'
import { note } from '../../access/audited.ts'
import { type Client, requestClient } from '../../access/client.ts'
import { Refusal, statusOf, toRefusal, tooMany } from '../../protocol/errors.ts'
import { type Services, sharedServices } from '../../runtime/services.ts'
import { openLink } from '../links/open-link.ts'
import { type Session, deleteSession, findSession, findUser, noteVisit } from '../user-store.ts'
import { type User, hashText, sessionMaxAgeS } from '../user.ts'
import { makeAdapter } from './adapter.ts'
import { type SignInProblem, authenticate, failures } from './authenticate.ts'
import { deviceMaxAgeS, deviceName, readDevice, signDevice } from './device.ts'
import { localUrl } from './local-url.ts'
import { admit, makeProvider } from './provider.ts'
import { recordFailure } from './record-failure.ts'
import { type Throttled, limits } from './throttle.ts'
import { busy } from './turns.ts'

/**
 * A failed sign-in; `code` is the reason, also in the query of the sign-in page, and `retryAfterS` the time
 * to wait after too many attempts.
 */
export class SignInRefused extends CredentialsSignin {
  readonly retryAfterS: number | undefined

  constructor(refused: SignInProblem | Throttled | 'busy') {
    super()
    this.code = typeof refused === 'string' ? refused : refused.problem
    this.retryAfterS = typeof refused === 'string' ? undefined : refused.retryAfterS
  }
}

/** Failures that next-auth turns into redirects, kept per request. */
const refusedIn = new AsyncLocalStorage<{ refused?: SignInRefused }>()

// The configuration is read on use, because a build has none.
const nextAuth = NextAuth(() => configure(sharedServices()))

/**
 * Sign-in and sign-out as actions of pages. Sign in with `credentials` (`email`, `password`), `link`
 * (`token`, `password`, `name`) or `oidc`, which sends the browser to the provider.
 */
export const { signIn, signOut } = nextAuth

/**
 * Responds to requests under /api/auth. Our forms sign in through an action; a program that posts here too
 * often gets a 429, and a 503 while too many users sign in.
 */
export async function answerAuth(request: NextRequest): Promise<Response> {
  const { config } = sharedServices()
  // Inside a custom server Next does not know its URL, and next-auth would redirect to localhost:3000.
  const url = new URL(request.nextUrl.pathname + request.nextUrl.search, config.publicUrl)
  // next-auth takes an invalid URL for a configuration error and responds with 500.
  if (!url.searchParams.getAll('callbackUrl').every(isUrl))
    return answerRefusal(
      new Refusal('BAD_REQUEST', 'The request is not valid', { errors: ['callbackUrl: must be a URL'] }),
    )
  const asked = new NextRequest(url, request)
  const kept = asked.cookies.get(cookieNames(config).callbackUrl)?.value ?? '/'
  if (!isUrl(kept)) asked.cookies.delete(cookieNames(config).callbackUrl)
  // A user who returns from the provider becomes the one they are there, whoever was signed in here before.
  if (url.pathname.startsWith('/api/auth/callback/')) asked.cookies.delete(cookieNames(config).sessionToken)
  const seen: { refused?: SignInRefused } = {}
  const response = await refusedIn.run(seen, () =>
    nextAuth.handlers[request.method === 'POST' ? 'POST' : 'GET'](asked),
  )
  const { code: problem, retryAfterS } = seen.refused ?? {}
  if (problem !== 'busy' && retryAfterS === undefined) return response
  return answerRefusal(
    retryAfterS === undefined ? busy() : tooMany('Too many attempts with this e-mail address', retryAfterS),
  )
}

/** Returns whether next-auth accepts the text as a URL; `localUrl` decides where it leads. */
const isUrl = (text: string) =>
  text === '' ||
  (text.startsWith('/')
    ? URL.canParse(text, 'https://here.invalid')
    : /^https?:/i.test(text) && URL.canParse(text))

function answerRefusal({ code, message, errors, headers }: Refusal): Response {
  return Response.json(
    { code, message, errors },
    { status: statusOf[code], headers: { ...headers, 'Cache-Control': 'no-store' } },
  )
}

/**
 * Returns the session of the requesting browser, or null. While the database is down, next-auth's own
 * `auth()` would report no session and users would be sent to sign in again.
 * @throws Refusal 503 while the database is down
 */
export const signedIn = cache(async (): Promise<Session | null> => {
  // First, because this tells Next not to prerender the page at build time, when there are no services.
  const jar = await cookies()
  const { db, config, background } = sharedServices()
  const token = jar.get(cookieNames(config).sessionToken)?.value
  if (token === undefined) return null
  try {
    const session = (await findSession(db, hashText(token))) ?? null
    if (session?.visitIsNews === true) background(noteVisit(db, session.user.id))
    return session
  } catch (error) {
    // Errors thrown here may end up in Next's log, and a driver's message reveals too much for that.
    throw toRefusal(error)
  }
})

const isSecure = ({ publicUrl }: Services['config']) => publicUrl.startsWith('https:')
const cookieName = (config: Services['config'], name: string) =>
  `${isSecure(config) ? '__Host-' : ''}partner-deals.${name}`

const cookieNames = (config: Services['config']) => ({
  sessionToken: cookieName(config, 'session'),
  callbackUrl: cookieName(config, 'callback-url'),
  csrfToken: cookieName(config, 'csrf-token'),
  pkceCodeVerifier: cookieName(config, 'pkce'),
  state: cookieName(config, 'state'),
  nonce: cookieName(config, 'nonce'),
})

const makeToken = () => randomBytes(32).toString('base64url')

// A `User-Agent` is chosen by the client and can have any length.
const userAgent = async () => ((await headers()).get('user-agent') ?? '').slice(0, 500)

function configure(services: Services): NextAuthConfig {
  const { db, config, log } = services
  const adapter = makeAdapter(db, config.oidc?.issuer ?? '', userAgent)
  return {
    basePath: '/api/auth',
    secret: config.authSecret!,
    trustHost: true,
    pages: { signIn: '/sign-in', signOut: '/deals', error: '/sign-in' },
    useSecureCookies: isSecure(config),
    cookies: Object.fromEntries(
      Object.entries(cookieNames(config)).map(([cookie, name]) => [cookie, { name }]),
    ),
    adapter,
    // With an adapter, sessions are in the database. Setting `strategy` would make next-auth reject
    // credentials.
    session: { maxAge: sessionMaxAgeS, updateAge: sessionMaxAgeS, generateSessionToken: makeToken },
    // For credentials next-auth creates no session in the database; here it asks for the value of the cookie.
    jwt: {
      async encode({ token }) {
        const sessionToken = makeToken()
        await adapter.createSession!({
          sessionToken,
          userId: token!.sub!,
          expires: new Date(Date.now() + sessionMaxAgeS * 1000),
        })
        return sessionToken
      },
    },
    callbacks: {
      // The response of /api/auth/session: without this it would contain the token that the cookie hides from
      // scripts.
      session: ({ session, user }) => ({
        user: { name: user.name, email: user.email },
        expires: session.expires,
      }),
      redirect: ({ url, baseUrl }) => localUrl(url, [new URL(config.publicUrl).origin, baseUrl]),
      async signIn({ account, profile }) {
        if (account?.provider !== 'oidc') return true
        const problem = await admit(db, config.oidc!.issuer, account.providerAccountId, profile)
        if (problem !== null) await noteFailure(services, 'provider', problem, asText(profile?.email))
        return problem === null || `/sign-in?${new URLSearchParams({ error: 'AccessDenied', code: problem })}`
      },
    },
    events: {
      async signIn({ user }) {
        const [jar, client, found] = await Promise.all([cookies(), clientAsking(), findUser(db, user.email!)])
        await note({ db, actor: actorOf(found!, client) }, { action: 'account.signed-in' })
        const before = jar.get(cookieName(config, 'session'))?.value
        if (before !== undefined) await deleteSession(db, hashText(before))
        const name = cookieName(config, deviceName(user.email!))
        const nonce =
          readDevice(config.authSecret!, user.email!, jar.get(name)?.value) ??
          randomBytes(16).toString('base64url')
        jar.set(name, signDevice(config.authSecret!, user.email!, nonce), {
          httpOnly: true,
          sameSite: 'lax',
          path: '/',
          secure: isSecure(config),
          maxAge: deviceMaxAgeS,
        })
      },
    },
    providers: [
      Credentials({
        credentials: { email: { type: 'email' }, password: { type: 'password' } },
        async authorize({ email, password }) {
          const address = asText(email).trim().toLowerCase()
          const device = readDevice(
            config.authSecret!,
            address,
            (await cookies()).get(cookieName(config, deviceName(address)))?.value,
          )
          return letIn(
            services,
            'password',
            await unlessBusy(authenticate(db, address, asText(password), device)),
            address,
          )
        },
      }),
      Credentials({
        id: 'link',
        credentials: { token: {}, name: {}, password: { type: 'password' } },
        async authorize(given) {
          const client = await clientAsking()
          return letIn(
            services,
            'link',
            await unlessBusy(
              openLink(db, given, (tx, user, kind) =>
                note(
                  { db: tx, actor: actorOf(user, client) },
                  { action: 'account.password-set', subject: `${kind} link` },
                ),
              ),
            ),
          )
        },
      }),
      ...(config.oidc === null ? [] : [makeProvider(config.oidc, config.publicUrl)]),
    ],
    logger: {
      error(error) {
        // Wrong passwords are not errors, and `noteFailure` logs them. Messages stay out of the log because
        // they can name the user.
        if (error instanceof CredentialsSignin) return
        const { type, cause } = error instanceof AuthError ? error : { type: error.name }
        log.error({ error: type, cause: cause?.err?.name }, 'sign-in failed')
      },
      warn: (code) => log.warn({ code }, 'sign-in'),
      debug: () => {},
    },
  }
}

const actorOf = (user: User, client: Client) => actorOfSession({ user, hash: '' }, client)

const clientAsking = async () => {
  const given = await headers()
  return requestClient((name) => given.get(name))
}

type Means = 'password' | 'link' | 'provider'

/** Returns the user in next-auth's form. @throws SignInRefused when the sign-in fails */
async function letIn(
  services: Services,
  means: Means,
  outcome: User | SignInProblem | Throttled,
  typed = '',
) {
  if (typeof outcome === 'object' && 'id' in outcome)
    return { id: String(outcome.id), name: outcome.name, email: outcome.email }
  const refused = new SignInRefused(outcome)
  await noteFailure(services, means, refused.code as SignInProblem, typed)
  return refuse(refused)
}

/**
 * Waits for the outcome of a sign-in.
 * @throws SignInRefused when too many passwords are being hashed, which does not count as a failed attempt
 */
async function unlessBusy<T>(outcome: Promise<T>): Promise<T> {
  try {
    return await outcome
  } catch (error) {
    if (error instanceof Refusal && error.code === 'SERVICE_UNAVAILABLE')
      return refuse(new SignInRefused('busy'))
    throw error
  }
}

function refuse(refused: SignInRefused): never {
  const asking = refusedIn.getStore()
  if (asking !== undefined) asking.refused = refused
  throw refused
}

/**
 * Logs a failed sign-in with only the IP address, and records it for the user whose e-mail address was
 * entered, if any. Text entered as an e-mail address that is not one may be a password.
 */
async function noteFailure(
  services: Services,
  means: Means,
  problem: SignInProblem,
  typed: string,
): Promise<void> {
  const client = await clientAsking()
  services.log.warn({ means, problem, client: client.address }, 'sign-in refused')
  services.background(
    recordFailure(services.db, typed, (user, attempts) =>
      note(
        { db: services.db, actor: actorOf(user, client) },
        {
          action: 'account.sign-in-failed',
          subject:
            attempts > limits['sign-in-failure'].max
              ? `${failures[problem]}, attempt ${attempts} in 15 minutes`
              : failures[problem],
        },
      ),
    ),
  )
}

const asText = (value: unknown) => (typeof value === 'string' ? value : '')
