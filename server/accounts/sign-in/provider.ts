import type { OIDCConfig } from 'next-auth/providers'
import type { Database } from '#db/client.ts'
import { unlessSuspended } from '../store.ts'
import { findUser } from '../user-store.ts'
import { parseEmail } from '../user.ts'
import type { SignInProblem } from './authenticate.ts'
import { adoptIdentity, findByIdentity } from './identity-store.ts'

/** The provider's claims about a person (OpenID Connect Core 1.0, section 5.1). */
interface Claims {
  sub: string
  email?: unknown
  email_verified?: unknown
  name?: unknown
}

/** The configured client of a provider. */
interface ProviderClient {
  issuer: string
  clientId: string
  clientSecret: string
}

/** Returns the configuration of the OpenID Connect provider for next-auth. */
export function makeProvider({ issuer, clientId, clientSecret }: ProviderClient): OIDCConfig<Claims> {
  return {
    id: 'oidc',
    name: new URL(issuer).hostname,
    type: 'oidc',
    issuer,
    clientId,
    clientSecret,
    checks: ['pkce', 'state', 'nonce'],
    // Claims about the e-mail address need not be in the ID token (OpenID Connect Core 1.0, section 5.4).
    idToken: false,
    profile: ({ sub, email, name }) => ({
      id: sub,
      email: typeof email === 'string' ? email : null,
      name: typeof name === 'string' ? name : null,
    }),
  }
}

/**
 * Returns the reason to reject a person authenticated by the provider, or null. A returning user is
 * identified by the subject; a new one must have been invited at an e-mail address that the provider has
 * verified.
 */
export async function admit(
  db: Database,
  issuer: string,
  subject: string,
  claims: { email?: unknown; email_verified?: unknown } | undefined,
): Promise<SignInProblem | null> {
  const known = await findByIdentity(db, { issuer, subject })
  if (known !== undefined) return (await unlessSuspended(db, known)) === 'suspended' ? 'suspended' : null
  const email = parseEmail(String(claims?.email ?? ''))
  if (email === null || claims?.email_verified !== true) return 'unverified'
  const invited = await findUser(db, email)
  if (invited !== undefined && (await unlessSuspended(db, invited)) === 'suspended') return 'suspended'
  return (await adoptIdentity(db, { issuer, subject }, email)) ? null : 'uninvited'
}
