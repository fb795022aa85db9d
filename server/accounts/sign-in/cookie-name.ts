/** Returns true if browsers should send cookies only over https. */
export const isSecure = ({ publicUrl }: { publicUrl: string }) => publicUrl.startsWith('https:')

/**
 * Returns the full name of a cookie. Over https, the name has a prefix that keeps other hosts from setting
 * the cookie.
 */
export function cookieName(config: { publicUrl: string }, name: string): string {
  return `${isSecure(config) ? '__Host-' : ''}partner-deals.${name}`
}

/** Name of the cookie that contains the ID token of the provider that the browser signed in with. */
export const idTokenCookie = 'id-token'

/** Returns the names of all cookies that next-auth sets. */
export function cookieNames(config: { publicUrl: string }) {
  return {
    sessionToken: cookieName(config, 'session'),
    callbackUrl: cookieName(config, 'callback-url'),
    csrfToken: cookieName(config, 'csrf-token'),
    pkceCodeVerifier: cookieName(config, 'pkce'),
    state: cookieName(config, 'state'),
    nonce: cookieName(config, 'nonce'),
  }
}
