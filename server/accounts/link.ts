import { linkLifetimeMs } from './policy.ts'
import { hashText } from './user.ts'

/** The purpose of a link: accepting an invitation, setting a new password, or signing in. */
export type LinkKind = keyof typeof linkLifetimeMs

/** Returns a new link with a token that is shown only once. Only the hash of the token is stored. */
export function makeLink(
  kind: LinkKind,
  now: Date,
  random: (size: number) => Buffer,
): { token: string; hash: string; expiresAt: Date } {
  const token = random(32).toString('base64url')
  return { token, hash: hashText(token), expiresAt: new Date(now.getTime() + linkLifetimeMs[kind]) }
}

/** Returns the URL that signs in a browser with this token. */
export function linkUrl(publicUrl: string, token: string): string {
  return `${publicUrl}/link/${token}`
}
