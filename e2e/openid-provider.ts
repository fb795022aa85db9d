import { createServer } from 'node:http'
import { type JWTPayload, SignJWT, decodeJwt, exportJWK, generateKeyPair } from 'jose'
import { type Configuration, Provider } from 'oidc-provider'
import { listenLocally } from './loopback.ts'

/** A user at the provider. */
interface ProviderUser {
  sub: string
  [claim: string]: unknown
}

/** A certified OpenID Connect provider on loopback with one client. */
export interface OpenIdProvider {
  issuer: string
  /** The user who signs in when the provider asks, once per browser. */
  user: ProviderUser
  /** Returns how often the provider has asked for a sign-in. */
  signIns(): number
  /** Replaces ID tokens with forged ones; null disables forging. */
  forge: ((claims: JWTPayload) => string | undefined | Promise<string | undefined>) | null
  /** Signs an ID token with the provider's key, or with a stranger's key under the same key ID. */
  sign(claims: JWTPayload, by?: 'provider' | 'stranger'): Promise<string>
  close(): Promise<void>
}

const alg = 'RS256'
const keyId = 'first'

/** Starts a provider for a client with these redirect URLs. */
export async function startOpenIdProvider(
  clientId: string,
  clientSecret: string,
  redirectUris: string[],
): Promise<OpenIdProvider> {
  const server = createServer()
  const { url: issuer, close } = await listenLocally(server, 0, 'localhost')
  const [own, strange] = await Promise.all([
    generateKeyPair(alg, { extractable: true }),
    generateKeyPair(alg),
  ])
  const users = new Map<string, ProviderUser>()
  let signIns = 0
  const provider = new Provider(issuer, {
    ...configuration,
    clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: redirectUris }],
    jwks: { keys: [{ ...(await exportJWK(own.privateKey)), kid: keyId, alg, use: 'sig' }] },
    findAccount: (_ctx, sub) => ({ accountId: sub, claims: () => users.get(sub)! }),
    // Skips the consent screen.
    async loadExistingGrant({ oidc }) {
      const grant = new provider.Grant({ clientId, accountId: oidc.session!.accountId! })
      grant.addOIDCScope('openid profile email')
      await grant.save()
      return grant
    },
  })
  provider.use(async (ctx, next) => {
    await next()
    if (running.forge === null || ctx.path !== '/token' || ctx.status !== 200) return
    const answer = ctx.body as { id_token: string }
    ctx.body = { ...answer, id_token: await running.forge(decodeJwt(answer.id_token)) }
  })
  const answer = provider.callback()
  server.on('request', (request, response) => {
    if (!request.url!.startsWith('/interaction/')) return void answer(request, response)
    signIns++
    users.set(running.user.sub, running.user)
    void provider.interactionFinished(request, response, { login: { accountId: running.user.sub } })
  })

  const running: OpenIdProvider = {
    issuer,
    user: { sub: 'nobody' },
    signIns: () => signIns,
    forge: null,
    sign: (claims, by = 'provider') =>
      new SignJWT(claims)
        .setProtectedHeader({ alg, kid: keyId })
        .sign((by === 'provider' ? own : strange).privateKey),
    close,
  }
  return running
}

/** Settings that all tests share. */
const configuration: Configuration = {
  claims: { email: ['email', 'email_verified'], profile: ['name'] },
  cookies: { keys: [crypto.randomUUID()] },
  features: {
    devInteractions: { enabled: false },
    rpInitiatedLogout: {
      // Replaced, because the package's pages load fonts from the internet.
      logoutSource: ({ response }, form) => {
        response.body = `${form}<button form="op.logoutForm" name="logout" value="yes">Sign me out</button>`
      },
      postLogoutSuccessSource: ({ response }) => {
        response.body = '<h1>Signed out</h1>'
      },
    },
  },
  interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
  ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
}

/**
 * Follows redirects within the provider. Returns the first URL that leads elsewhere. `locationOf` sends a
 * request and returns its redirect.
 */
export async function leaveProvider(
  issuer: string,
  start: string,
  locationOf: (url: string) => Promise<string>,
): Promise<string> {
  let url = start
  while (new URL(url, issuer).origin === issuer) url = await locationOf(new URL(url, issuer).href)
  return url
}
