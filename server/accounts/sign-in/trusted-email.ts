import { trimmed } from '../../values/clean.ts'
import { addressIn } from '../../values/input.ts'
import { parseEmail } from '../user.ts'

/**
 * A provider's claims about a person (OpenID Connect Core 1.0, section 5.1). Only Microsoft Entra sends
 * `upn`.
 */
export interface Claims {
  sub?: unknown
  email?: unknown
  email_verified?: unknown
  name?: unknown
  preferred_username?: unknown
  upn?: unknown
}

/**
 * The value of `OIDC_TRUST_EMAIL`, which decides when e-mail addresses from the provider count as verified;
 * null if not set.
 */
export type EmailTrust = 'on' | 'off' | null

/** The hosts of Microsoft Entra, including its national clouds. */
const entraHosts = new Set([
  'login.microsoftonline.com',
  'login.microsoftonline.us',
  'login.partner.microsoftonline.cn',
  'sts.windows.net',
])

// Microsoft's tenant for personal accounts, which anybody can open.
const personalTenant = '9188040d-6c67-4c5b-b112-36a304b66dad'

const tenantId = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/

/**
 * Returns true if the issuer is the Microsoft Entra tenant of a single organization, whose administrators set
 * the e-mail addresses of its users. Entra never sends `email_verified`.
 * @see https://learn.microsoft.com/entra/identity-platform/id-token-claims-reference
 */
function isEntraTenant(issuer: string): boolean {
  const { hostname, pathname } = new URL(issuer)
  const tenant = pathname.split('/')[1]!.toLowerCase()
  return entraHosts.has(hostname) && tenantId.test(tenant) && tenant !== personalTenant
}

/** Returns true if the issuer is a Microsoft Entra URL without a tenant ID, such as `common`. */
export function isEntraWithoutTenant(issuer: string): boolean {
  const { hostname, pathname } = new URL(issuer)
  return entraHosts.has(hostname) && !tenantId.test(pathname.split('/')[1]!.toLowerCase())
}

/**
 * Returns a person's e-mail address if it may identify an invited user, or else null. Some providers send
 * unusual claims: Amazon Cognito sends `email_verified` as a string, and some providers that use LDAP send a
 * list of addresses. Without `email_verified`, the address counts if the issuer is a tenant of Microsoft
 * Entra, where only administrators can change addresses and user names; accounts without a mailbox have only
 * a user name. With `OIDC_TRUST_EMAIL=on`, every address counts.
 */
export function trustedEmail(issuer: string, trust: EmailTrust, claims: Claims | undefined): string | null {
  const isOwn = trust !== 'off' && isEntraTenant(issuer)
  const userName = isOwn ? (claims?.preferred_username ?? claims?.upn) : null
  const [typed, another] = [claims?.email ?? userName].flat()
  const verified = claims?.email_verified
  const isVerified = verified === true || (typeof verified === 'string' && /^true$/i.test(verified))
  const isTrusted = trust === 'on' || (isOwn && verified === undefined)
  // Rejects texts such as `Name <address>`, because the provider may have verified another part of the text.
  const isAlone =
    typeof typed === 'string' && another === undefined && addressIn(trimmed(typed)) === trimmed(typed)
  return isAlone && (isVerified || isTrusted) ? parseEmail(typed) : null
}
