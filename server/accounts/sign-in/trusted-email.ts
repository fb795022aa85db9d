import { parseMailbox } from '../../values/input.ts'
import { parseEmail } from '../user.ts'

/**
 * The provider's claims about a person (OpenID Connect Core 1.0, section 5.1). Only Microsoft Entra sends `upn`.
 */
export interface Claims {
  sub?: unknown
  email?: unknown
  email_verified?: unknown
  name?: unknown
  preferred_username?: unknown
  upn?: unknown
}

/** When the provider's e-mail addresses count as verified: `OIDC_TRUST_EMAIL`, or null if it is not set. */
export type EmailTrust = 'on' | 'off' | null

/** The hosts of Microsoft Entra and its national clouds. */
const entraHosts = new Set([
  'login.microsoftonline.com',
  'login.microsoftonline.us',
  'login.partner.microsoftonline.cn',
  'sts.windows.net',
])

// Microsoft's tenant of personal accounts, which anybody can open.
const personalTenant = '9188040d-6c67-4c5b-b112-36a304b66dad'

const tenantId = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/

/**
 * Returns whether an issuer is the Microsoft Entra tenant of one organization, whose administrators set the
 * addresses of its users. Entra never sends `email_verified`.
 * @see https://learn.microsoft.com/entra/identity-platform/id-token-claims-reference
 */
function isEntraTenant(issuer: string): boolean {
  const { hostname, pathname } = new URL(issuer)
  const tenant = pathname.split('/')[1]!.toLowerCase()
  return entraHosts.has(hostname) && tenantId.test(tenant) && tenant !== personalTenant
}

/** Returns whether an issuer is an address of Microsoft Entra that names no tenant by its id, such as `common`. */
export function isEntraWithoutTenant(issuer: string): boolean {
  const { hostname, pathname } = new URL(issuer)
  return entraHosts.has(hostname) && !tenantId.test(pathname.split('/')[1]!.toLowerCase())
}

/**
 * Returns the person's e-mail address if it may identify an invited user, otherwise null. Some providers, such as Amazon
 * Cognito, send `email_verified` as a string, and some that use LDAP send the address as a list. If the flag is missing,
 * the address counts in a tenant of Microsoft Entra, where an account without a mailbox has only a user name, and only
 * administrators change either. With `OIDC_TRUST_EMAIL=on`, every address counts.
 */
export function trustedEmail(issuer: string, trust: EmailTrust, claims: Claims | undefined): string | null {
  const isOwn = trust !== 'off' && isEntraTenant(issuer)
  const userName = isOwn ? (claims?.preferred_username ?? claims?.upn) : null
  const [typed, another] = [claims?.email ?? userName].flat()
  const verified = claims?.email_verified
  const isVerified = verified === true || (typeof verified === 'string' && /^true$/i.test(verified))
  const isTrusted = trust === 'on' || (isOwn && verified === undefined)
  // Nothing is known about a name beside the address, so the provider may have verified another part of the text.
  const isAlone = typeof typed === 'string' && another === undefined && parseMailbox(typed) === null
  return isAlone && (isVerified || isTrusted) ? parseEmail(typed) : null
}
