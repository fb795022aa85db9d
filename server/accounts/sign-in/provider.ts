import { createRemoteJWKSet, customFetch, jwtVerify } from 'jose'
import type { OIDCConfig } from 'next-auth/providers'
import { errorName } from '../../errors.ts'
import { minuteMs, secondMs } from '../../values/units.ts'
import type { Claims } from './trusted-email.ts'

/** The provider's issuer, and this portal's name as a client. */
interface ProviderClient {
  issuer: string
  clientId: string
}

/** The fields of a provider's metadata that are used here (OpenID Connect Discovery 1.0, section 3). */
interface Metadata {
  issuer: string
  jwksUri: string
  /**
   * Sign-out URL (OpenID Connect RP-Initiated Logout 1.0); null if the provider does not support signing out.
   */
  endSessionEndpoint: string | null
}

/**
 * Thrown if the provider is unreachable, or if its response must not be trusted. The message is for the log.
 */
class ProviderError extends Error {
  override name = 'ProviderError'
}

const timeoutMs = 10 * secondMs
const metadataMs = 10 * minuteMs
// Only algorithms that use the provider's public keys; excludes shared secrets and unsigned tokens.
const algorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
]

const isLoopback = (host: string) => /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(host)

/** Fetches from a provider over https; http is allowed only on this machine. @throws ProviderError */
async function fetchSecurely(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const { protocol, hostname, origin } = new URL(input instanceof Request ? input.url : input)
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback(hostname)))
    throw new ProviderError(`the provider names an endpoint that is not https: ${origin}`)
  try {
    return await fetch(input, { ...init, signal: AbortSignal.timeout(timeoutMs) })
  } catch (error) {
    throw new ProviderError(`the provider cannot be reached at ${origin}: ${errorName(error)}`)
  }
}

const isText = (value: unknown): value is string => typeof value === 'string' && URL.canParse(value)

/** An OpenID Connect provider. Caches the provider's metadata and keys, and verifies ID tokens. */
class Provider {
  readonly #client: ProviderClient
  #cached: { metadata: Promise<Metadata>; readAt: number } | null = null
  #keys: { uri: string; get: ReturnType<typeof createRemoteJWKSet> } | null = null
  #text = ''

  constructor(client: ProviderClient) {
    this.#client = client
  }

  /**
   * Replaces `fetch` for next-auth, which does not verify the signatures of ID tokens.
   * @throws ProviderError
   */
  readonly fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const url = input instanceof Request ? input.url : String(input)
    if (url === this.#metadataUrl()) {
      // The metadata is cached, so that anonymous callers cannot cause requests to the provider.
      await this.metadata()
      return new Response(this.#text, { headers: { 'Content-Type': 'application/json' } })
    }
    const response = await fetchSecurely(input, init)
    const isTokenRequest = new URLSearchParams(String(init?.body ?? '')).has('grant_type')
    if (isTokenRequest && response.ok) await this.#verifyIdToken(await response.clone().json())
    return response
  }

  /** Returns the provider's metadata, at most ten minutes old. @throws ProviderError */
  metadata(): Promise<Metadata> {
    const now = performance.now()
    if (this.#cached === null || now - this.#cached.readAt > metadataMs) {
      const metadata = this.#readMetadata()
      const cached = { metadata, readAt: now }
      this.#cached = cached
      metadata.catch(() => {
        if (this.#cached === cached) this.#cached = null
      })
    }
    return this.#cached.metadata
  }

  #metadataUrl(): string {
    return `${this.#client.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  }

  async #readMetadata(): Promise<Metadata> {
    const response = await fetchSecurely(this.#metadataUrl())
    if (!response.ok)
      throw new ProviderError(`the provider responds with ${response.status} to a request for its metadata`)
    const text = await response.text()
    const read = parseObject(text)
    if (read === null || !isText(read['jwks_uri']) || !isText(read['issuer']))
      throw new ProviderError('the metadata of the provider has no issuer or no keys (jwks_uri)')
    if (new URL(read['issuer']).href !== new URL(this.#client.issuer).href)
      throw new ProviderError(`OIDC_ISSUER must be ${read['issuer']}, as the provider calls itself`)
    this.#text = text
    const end = read['end_session_endpoint']
    return {
      issuer: read['issuer'],
      jwksUri: read['jwks_uri'],
      endSessionEndpoint: isText(end) && new URL(end).protocol.startsWith('http') ? end : null,
    }
  }

  async #verifyIdToken(response: unknown): Promise<void> {
    const token =
      typeof response === 'object' && response !== null && 'id_token' in response ? response.id_token : null
    if (typeof token !== 'string') throw new ProviderError('the provider responds without an ID token')
    const { issuer, jwksUri } = await this.metadata()
    if (this.#keys?.uri !== jwksUri)
      this.#keys = {
        uri: jwksUri,
        get: createRemoteJWKSet(new URL(jwksUri), {
          timeoutDuration: timeoutMs,
          [customFetch]: fetchSecurely,
        }),
      }
    try {
      await jwtVerify(token, this.#keys.get, {
        issuer,
        audience: this.#client.clientId,
        algorithms,
        clockTolerance: 30,
      })
    } catch (error) {
      if (error instanceof ProviderError) throw error
      const claim = error instanceof Error && 'claim' in error ? ` (${String(error.claim)})` : ''
      throw new ProviderError(`the ID token is not valid: ${errorName(error)}${claim}`)
    }
  }
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const read: unknown = JSON.parse(text)
    return typeof read === 'object' && read !== null ? (read as Record<string, unknown>) : null
  } catch {
    return null
  }
}

let provider: { of: string; is: Provider } | null = null

/** Returns the configured provider; repeated calls return the same instance with its cache. */
export function providerOf(client: ProviderClient): Provider {
  const of = `${client.clientId} ${client.issuer}`
  if (provider?.of !== of) provider = { of, is: new Provider(client) }
  return provider.is
}

/**
 * Returns the URL at which a browser signs out of the provider, or null if the provider has no such URL or is
 * unreachable.
 * @see https://openid.net/specs/openid-connect-rpinitiated-1_0.html
 */
export async function endSessionUrl(client: ProviderClient, idToken: string): Promise<string | null> {
  const metadata = await providerOf(client)
    .metadata()
    .catch(() => null)
  if (metadata?.endSessionEndpoint == null) return null
  const url = new URL(metadata.endSessionEndpoint)
  url.searchParams.set('id_token_hint', idToken)
  url.searchParams.set('client_id', client.clientId)
  return url.href
}

/** Describes a failed provider sign-in for the log without identifying the user. */
export function describeSignInError(error: unknown): string {
  if (error instanceof ProviderError) return error.message
  if (!(error instanceof Error)) return errorName(error)
  // Errors of these two kinds have fixed messages: next-auth's failed check, and the library's failed
  // comparison.
  const isFixed = ('type' in error && error.type === 'InvalidCheck') || errorName(error).startsWith('OAUTH_')
  const code = 'error' in error && typeof error.error === 'string' ? `: ${error.error.slice(0, 100)}` : ''
  return isFixed ? `${error.message.replace(/\.? ?Read more at .*/s, '')}${code}` : errorName(error)
}

/** Returns next-auth's configuration of the OpenID Connect provider. */
export function makeProvider({
  issuer,
  clientId,
  clientSecret,
}: ProviderClient & { clientSecret: string }): OIDCConfig<Claims & { sub: string }> {
  return {
    id: 'oidc',
    name: new URL(issuer).hostname,
    type: 'oidc',
    issuer,
    clientId,
    clientSecret,
    checks: ['pkce', 'state', 'nonce'],
    // The ID token need not include the e-mail claims (OpenID Connect Core 1.0, section 5.4).
    idToken: false,
    profile: ({ sub, email, name }) => ({
      id: sub,
      email: typeof email === 'string' ? email : null,
      name: typeof name === 'string' ? name : null,
    }),
  }
}
