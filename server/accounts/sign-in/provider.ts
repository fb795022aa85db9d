import type { OIDCConfig } from 'next-auth/providers'
import type { Database } from '#db/client.ts'
import { unlessSuspended } from '../store.ts'
import { findUser } from '../user-store.ts'
import type { SignInProblem } from './authenticate.ts'
import { adoptIdentity, findByIdentity } from './identity-store.ts'
import { type Claims, type EmailTrust, trustedEmail } from './trusted-email.ts'

/** The configured client of a provider. */
interface ProviderClient {
  issuer: string
  clientId: string
  clientSecret: string
}

/** Returns the configuration of the OpenID Connect provider for next-auth. */
export function makeProvider({
  issuer,
  clientId,
  clientSecret,
}: ProviderClient): OIDCConfig<Claims & { sub: string }> {
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
 * identified by the subject; a new one must have been invited at an e-mail address that can be trusted.
 */
export async function admit(
  db: Database,
  { issuer, trustEmail }: { issuer: string; trustEmail: EmailTrust },
  subject: string,
  claims: Claims | undefined,
): Promise<SignInProblem | null> {
  const known = await findByIdentity(db, { issuer, subject })
  if (known !== undefined) return (await unlessSuspended(db, known)) === 'suspended' ? 'suspended' : null
  const email = trustedEmail(issuer, trustEmail, claims)
  if (email === null) return 'unverified'
  const invited = await findUser(db, email)
  if (invited !== undefined && (await unlessSuspended(db, invited)) === 'suspended') return 'suspended'
  return (await adoptIdentity(db, { issuer, subject }, email)) ? null : 'uninvited'
}
