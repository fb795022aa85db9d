import { minutesText } from '#server/protocol/errors.ts'

const messages = {
  wrong: 'The e-mail address or the password is wrong.',
  throttled: 'Too many attempts with this address. Try again in a few minutes.',
  expired: 'This link has been used already, or its time is over. Ask for a new one.',
  invalid: 'Something in the form cannot be as it is. Please check it and try again.',
  uninvited:
    'Nobody has invited the account you chose there. Choose another one, or ask whoever manages Partner Deals at your company for an invitation.',
  unverified:
    'The account you chose there has no verified e-mail address, so we cannot tell who you are. Verify it there, or sign in with your password.',
  suspended:
    'The access of your company is suspended at the moment. Please ask the installer whose deals you sell.',
  busy: 'Too many people are signing in at the moment. Try again in a few seconds.',
  interrupted: 'Signing in there was not finished. Please try again.',
  unavailable: 'We cannot sign you in at the moment. Please try again shortly.',
}

/** Why somebody could not be signed in. */
export type Problem = keyof typeof messages

/** Describes the problem; after too many attempts with how long to wait, when that is known. */
export function problemMessage(problem: Problem, retryAfterS?: number): string {
  if (problem !== 'throttled' || retryAfterS === undefined) return messages[problem]
  return `Too many attempts with this address. Try again in ${minutesText(retryAfterS)}.`
}

/** The problem that a code stands for; any that is not known is taken for the gravest. */
export function problemOf(code: unknown): Problem {
  return typeof code === 'string' && Object.hasOwn(messages, code) ? (code as Problem) : 'unavailable'
}

/** The problem that the address of the sign-in page tells of, if any. */
export function problemInQuery({ error, code }: { error?: unknown; code?: unknown }): Problem | null {
  if (error === undefined) return null
  // What next-auth calls it when somebody turns back at the provider.
  return error === 'OAuthCallbackError' ? 'interrupted' : problemOf(code)
}
