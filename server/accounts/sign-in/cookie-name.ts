/** Returns whether browsers should send cookies only over https. */
export const isSecure = ({ publicUrl }: { publicUrl: string }) => publicUrl.startsWith('https:')

/** Returns the name of a cookie; over https, no other host can set it. */
export function cookieName(config: { publicUrl: string }, name: string): string {
  return `${isSecure(config) ? '__Host-' : ''}partner-deals.${name}`
}

/** The cookie with the ID token of the provider that signed the browser in. */
export const idTokenCookie = 'id-token'

/** Returns the names of the cookies that next-auth sets. */
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
