import type { OIDCConfig } from 'next-auth/providers'
import type { Database } from '#db/client.ts'
import { unlessSuspended } from '../store.ts'
import { findUser } from '../user-store.ts'
import type { SignInProblem } from './authenticate.ts'
import { adoptIdentity, findByIdentity } from './identity-store.ts'
import { type Claims, type EmailTrust, trustedEmail } from './trusted-email.ts'

/** The provider's issuer, and the credentials of this portal as a client. */
interface ProviderClient {
  issuer: string
  clientId: string
  clientSecret: string
}

/** Returns next-auth's configuration of the OpenID Connect provider. */
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
    // The ID token need not include the e-mail claims (OpenID Connect Core 1.0, section 5.4).
    idToken: false,
    profile: ({ sub, email, name }) => ({
      id: sub,
      email: typeof email === 'string' ? email : null,
      name: typeof name === 'string' ? name : null,
    }),
  }
}

/**
 * Returns the reason to reject a person whom the provider has authenticated, or null. Returning users are
 * identified by the subject. New users must have an invitation, and the provider must vouch for the e-mail
 * address.
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
