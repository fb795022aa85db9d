const messages = {
  wrong: 'The e-mail address or the password is wrong.',
  throttled: 'There were too many tries with this address. Please try again in a few minutes.',
  unavailable: 'We cannot sign you in at the moment. Please try again shortly.',
}

/** Why somebody could not be signed in. */
export type Problem = keyof typeof messages

/** The same in words. */
export const problemMessage = (problem: Problem) => messages[problem]

/** The problem that a code stands for; any that is not known is taken for the gravest. */
export function problemOf(code: unknown): Problem {
  return typeof code === 'string' && Object.hasOwn(messages, code) ? code as Problem : 'unavailable'
}
