import { minutesText } from '#server/errors.ts'

const messages = {
  wrong: 'Wrong e-mail address or password.',
  throttled: 'Too many attempts. Try again in a few minutes.',
  expired: 'This link has expired or was already used. Ask for a new one.',
  invalid: 'The form has an invalid value. Check it and try again.',
  uninvited:
    'That account has not been invited. Choose another one, or ask your company’s Partner Deals admin for an invitation.',
  unverified:
    'Your sign-in provider has no verified e-mail address for this account. Sign in with your password instead, or ask ' +
    'an operator to set OIDC_TRUST_EMAIL.',
  suspended: 'Your company’s access is suspended. Contact the installer whose deals you sell.',
  busy: 'Too many people are signing in right now. Try again in a few seconds.',
  interrupted: 'Sign-in was not completed. Try again.',
  unavailable: 'We could not sign you in. Try again shortly.',
}

/** Why sign-in failed. */
export type Problem = keyof typeof messages

/** Describes the problem. After too many attempts, includes how long to wait, if known. */
export function problemMessage(problem: Problem, retryAfterS?: number): string {
  if (problem !== 'throttled' || retryAfterS === undefined) return messages[problem]
  return `Too many attempts. Try again in ${minutesText(retryAfterS)}.`
}

/** Returns the problem with this code, or `unavailable` for unknown codes. */
export function problemOf(code: unknown): Problem {
  return typeof code === 'string' && Object.hasOwn(messages, code) ? (code as Problem) : 'unavailable'
}

/** Returns the problem in the query of the sign-in page, if any. */
export function problemInQuery({ error, code }: { error?: unknown; code?: unknown }): Problem | null {
  if (error === undefined) return null
  // next-auth reports this error when the user cancels at the provider.
  return error === 'OAuthCallbackError' ? 'interrupted' : problemOf(code)
}

/**
 * Returns the page to open after sign-in: the requested page if it is on this site, otherwise the home page.
 */
export function localPath(requested: unknown): string {
  const home = '/'
  if (
    typeof requested !== 'string' ||
    !requested.startsWith('/') ||
    !URL.canParse(requested, 'http://here.invalid')
  )
    return home
  const { origin, pathname, search } = new URL(requested, 'http://here.invalid')
  // Browsers treat a path that starts with two slashes as another host.
  if (origin !== 'http://here.invalid' || pathname.startsWith('//') || pathname === '/sign-in') return home
  return pathname + search
}
