import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes, randomUUID } from 'node:crypto'
import { decodeJwt } from 'jose'
import {
  AuthError,
  CredentialsSignin,
  type NextAuthConfig,
  type Profile,
  type User as AuthUser,
  customFetch,
} from 'next-auth'
import type { Adapter } from 'next-auth/adapters'
import Credentials from 'next-auth/providers/credentials'
import { cookies, headers } from 'next/headers'
import { actorOfSession } from '../../access/actor.ts'
import { note } from '../../access/audited.ts'
import { type Client, requestClient } from '../../access/client.ts'
import { ApiError, errorName } from '../../errors.ts'
import type { Services } from '../../runtime/services.ts'
import { formatSpan, secondMs } from '../../values/units.ts'
import { utc } from '../../values/zone.ts'
import { endAccess } from '../access-store.ts'
import { type Throttled, limits } from '../throttle.ts'
import { findUser } from '../user-store.ts'
import { type SigningIn, type User, hashText, sessionMaxAgeS } from '../user.ts'
import { SessionsEndedError, makeAdapter, sessionOwner } from './adapter.ts'
import { type SignInProblem, admit, authenticate, failures, openLink, recordFailure } from './authenticate.ts'
import {
  cookieName,
  cookieNames,
  idTokenCookie,
  isSecure,
  deviceMaxAgeS,
  deviceName,
  readDevice,
  signDevice,
} from './cookies.ts'
import { describeSignInError, makeProvider, providerOf } from './provider.ts'

/**
 * A failed sign-in. `code` is the reason, which is passed to the sign-in page in the query; `retryAfterS` is
 * the time to wait after too many attempts.
 */
export class SignInRejectedError extends CredentialsSignin {
  readonly retryAfterS: number | undefined

  constructor(refused: SignInProblem | Throttled | 'busy') {
    super()
    this.code = typeof refused === 'string' ? refused : refused.problem
    this.retryAfterS = typeof refused === 'string' ? undefined : refused.retryAfterS
  }
}

/** Stores the sign-in failure of a request, which next-auth would turn into a redirect. */
export const refusedIn = new AsyncLocalStorage<{ refused?: SignInRejectedError }>()

const makeToken = () => randomBytes(32).toString('base64url')

const userAgentMaxLength = 500

// Clients can send a `User-Agent` of any length.
const userAgent = async () => ((await headers()).get('user-agent') ?? '').slice(0, userAgentMaxLength)

/** Returns next-auth's configuration, which defines who may sign in and how. */
export function authConfig(services: Services): NextAuthConfig {
  const { db, config } = services
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
    // The adapter stores sessions in the database. Setting `strategy` would make next-auth reject
    // credentials.
    session: { maxAge: sessionMaxAgeS, updateAge: sessionMaxAgeS, generateSessionToken: makeToken },
    jwt: { encode: ({ token }) => insertCredentialsSession(adapter, token!.sub!) },
    callbacks: {
      // The response of /api/auth/session. By default it would include the session token, which scripts must
      // not read.
      session: ({ session, user }) => ({
        user: { name: user.name, email: user.email },
        expires: session.expires,
      }),
      // By default, next-auth fails on an invalid URL.
      redirect: ({ url, baseUrl }) => localUrl(url, baseUrl),
      async signIn({ account, profile }) {
        if (account?.provider !== 'oidc') return true
        const claims = claimsOf(profile, account.id_token)
        const problem = await admit(db, config.oidc!, account.providerAccountId, claims)
        if (problem === null) await storeIdToken(config, account.id_token)
        else await recordFailedSignIn(services, 'provider', problem, asText(claims?.email))
        return problem === null || `/sign-in?${new URLSearchParams({ error: 'AccessDenied', code: problem })}`
      },
    },
    events: { signIn: ({ user }) => recordSignIn(services, user) },
    providers: [
      passwordProvider(services),
      linkProvider(services),
      ...(config.oidc === null
        ? []
        : [{ ...makeProvider(config.oidc), [customFetch]: providerOf(config.oidc).fetch }]),
    ],
    logger: authLogger(services.log),
  }
}

/**
 * Inserts a session and returns its token. For credentials, next-auth does not store a session but requests
 * the value of the cookie through `jwt.encode`.
 * @throws SignInRejectedError if all sessions were ended since the password was checked
 */
async function insertCredentialsSession(adapter: Adapter, owner: string): Promise<string> {
  const sessionToken = makeToken()
  const expires = new Date(Date.now() + sessionMaxAgeS * 1000)
  try {
    await adapter.createSession!({ sessionToken, userId: owner, expires })
  } catch (error) {
    if (error instanceof SessionsEndedError) refuse(new SignInRejectedError('wrong'))
    throw error
  }
  return sessionToken
}

/**
 * Returns the claims of the provider's user information, or those of the ID token if only the ID token
 * contains an e-mail address, as for Microsoft Entra accounts without a mailbox. Never mixes the two.
 */
function claimsOf(userInfo: Profile | undefined, idToken: string | undefined): Profile | undefined {
  return userInfo?.email == null && idToken !== undefined ? decodeJwt(idToken) : userInfo
}

// Browsers store cookies of up to 4,096 bytes, including the name and attributes.
const idTokenMaxLength = 3500

/** Stores the provider's ID token in a cookie, which is required to sign out of the provider. */
async function storeIdToken(config: Services['config'], idToken: string | undefined): Promise<void> {
  if (idToken === undefined || idToken.length > idTokenMaxLength) return
  ;(await cookies()).set(cookieName(config, idTokenCookie), idToken, cookieOptions(config, sessionMaxAgeS))
}

const cookieOptions = (config: Services['config'], maxAge: number) =>
  ({ httpOnly: true, sameSite: 'lax', path: '/', secure: isSecure(config), maxAge }) as const

/** Records a sign-in, ends the browser's previous session, and sets the device cookie. */
async function recordSignIn({ db, config }: Services, { email }: AuthUser): Promise<void> {
  const [jar, client, found] = await Promise.all([cookies(), currentClient(), findUser(db, email!)])
  await note({ db, actor: actorOf(found!, client) }, { action: 'account.signed-in' })
  const before = jar.get(cookieName(config, 'session'))?.value
  if (before !== undefined) await endAccess(db, { sessionHash: hashText(before) })
  const name = cookieName(config, deviceName(email!))
  const nonce =
    readDevice(config.authSecret!, email!, jar.get(name)?.value) ?? randomBytes(16).toString('base64url')
  jar.set(name, signDevice(config.authSecret!, email!, nonce), cookieOptions(config, deviceMaxAgeS))
}

function passwordProvider(services: Services) {
  const { db, config } = services
  return Credentials({
    credentials: { email: { type: 'email' }, password: { type: 'password' } },
    async authorize({ email, password }) {
      await limitAnonymous(services)
      const address = asText(email).trim().toLowerCase()
      const cookie = (await cookies()).get(cookieName(config, deviceName(address)))?.value
      const device = readDevice(config.authSecret!, address, cookie)
      const outcome = await unlessBusy(authenticate(db, address, asText(password), device))
      return admitUser(services, 'password', outcome, address)
    },
  })
}

function linkProvider(services: Services) {
  const { db } = services
  return Credentials({
    id: 'link',
    credentials: { token: {}, name: {}, password: { type: 'password' } },
    async authorize(form) {
      const client = await limitAnonymous(services)
      const opening = openLink(db, form, (tx, user, kind) =>
        note(
          { db: tx, actor: actorOf(user, client) },
          { action: 'account.password-set', subject: `${kind} link` },
        ),
      )
      return admitUser(services, 'link', await unlessBusy(opening))
    },
  })
}

function authLogger(log: Services['log']): NextAuthConfig['logger'] {
  return {
    error(error) {
      // Wrong passwords are logged by `recordFailedSignIn`. Messages are not logged, because they can name
      // the user.
      if (error instanceof CredentialsSignin) return
      const isWrapped = error instanceof AuthError
      const cause = isWrapped ? (error.cause?.err ?? error) : error
      log.error(
        { error: isWrapped ? error.type : errorName(error), cause: describeSignInError(cause) },
        'sign-in failed',
      )
    },
    warn: (code) => log.warn({ code }, 'sign-in'),
    debug: () => {},
  }
}

const actorOf = (user: User, client: Client) => actorOfSession({ user, hash: '', zone: utc }, client)

const currentClient = async () => {
  const received = await headers()
  return requestClient((name) => received.get(name))
}

/**
 * Counts a sign-in against the limits of anonymous callers. Returns the client.
 * @throws SignInRejectedError if this client or all clients together sign in too often, before any lookup
 */
async function limitAnonymous({ anonymous }: Services): Promise<Client> {
  const client = await currentClient()
  const retryAfterS = anonymous.countWork('sign-in', client.address, performance.now())
  if (retryAfterS > 0) refuse(new SignInRejectedError({ problem: 'throttled', retryAfterS }))
  return client
}

type SignInMethod = 'password' | 'link' | 'provider'

/** Returns the user in the form that next-auth expects. @throws SignInRejectedError if the sign-in fails */
async function admitUser(
  services: Services,
  method: SignInMethod,
  outcome: SigningIn | SignInProblem | Throttled,
  typed = '',
) {
  if (typeof outcome === 'object' && 'id' in outcome)
    return { id: sessionOwner(outcome), name: outcome.name, email: outcome.email }
  const refused = new SignInRejectedError(outcome)
  await recordFailedSignIn(services, method, refused.code as SignInProblem, typed)
  return refuse(refused)
}

/**
 * Waits for the outcome of a sign-in. If too many passwords are being hashed, rejects the sign-in without
 * counting a failed attempt.
 * @throws SignInRejectedError if too many passwords are being hashed, which does not count as a failed
 * attempt
 */
async function unlessBusy<T>(outcome: Promise<T>): Promise<T> {
  try {
    return await outcome
  } catch (error) {
    if (error instanceof ApiError && error.code === 'SERVICE_UNAVAILABLE')
      return refuse(new SignInRejectedError('busy'))
    throw error
  }
}

function refuse(refused: SignInRejectedError): never {
  const context = refusedIn.getStore()
  if (context !== undefined) context.refused = refused
  throw refused
}

const unverifiedAdvice =
  'the provider does not confirm the e-mail address; OIDC_TRUST_EMAIL=on accepts it, if only administrators of the ' +
  'provider can change addresses'

/**
 * Logs a failed sign-in with only the IP address, because users may type their password as the e-mail
 * address. Records the failure if the user is known.
 */
async function recordFailedSignIn(
  services: Services,
  method: SignInMethod,
  problem: SignInProblem,
  typed: string,
): Promise<void> {
  const client = await currentClient()
  const { max, windowS } = limits['sign-in-failure']
  const advice = problem === 'unverified' ? { advice: unverifiedAdvice } : {}
  services.log.warn({ method, problem, client: client.address, ...advice }, 'sign-in refused')
  services.background('failed sign-in', randomUUID(), () =>
    recordFailure(services.db, typed, (user, attempts) =>
      note(
        { db: services.db, actor: actorOf(user, client) },
        {
          action: 'account.sign-in-failed',
          subject:
            attempts > max
              ? `${failures[problem]}, attempt ${attempts} in ${formatSpan(windowS * secondMs)}`
              : failures[problem],
        },
      ),
    ),
  )
}

/** Returns the URL to redirect to: the requested URL if it has the same origin as `own`, or else `own`. */
function localUrl(requested: string, own: string): string {
  const url = URL.canParse(requested, own) ? new URL(requested, own) : null
  return url?.origin === own ? own + url.pathname + url.search : own
}

const asText = (value: unknown) => (typeof value === 'string' ? value : '')
