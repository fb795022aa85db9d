import { linkLifetimeMs } from '../policy.ts'
import { hashText } from '../user.ts'

/** The purpose of a link: to accept an invitation, to set a new password, or to sign in. */
export type LinkKind = keyof typeof linkLifetimeMs

/** Returns a new link. Only the hash is stored; its token is shown once. */
export function makeLink(
  kind: LinkKind,
  now: Date,
  random: (size: number) => Buffer,
): { token: string; hash: string; expiresAt: Date } {
  const token = random(32).toString('base64url')
  return { token, hash: hashText(token), expiresAt: new Date(now.getTime() + linkLifetimeMs[kind]) }
}

/** Returns the URL that signs in the holder of a token. */
export function linkUrl(publicUrl: string, token: string): string {
  return `${publicUrl}/link/${token}`
}
