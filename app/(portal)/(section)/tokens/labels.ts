import type { Tone } from '#app/ui/badge.tsx'
import { formatAgo, formatCountOf } from '#app/ui/format.ts'
import type { Scope } from '#server/tokens/scope.ts'
import type { TokenLine, graces, expiryChoices } from '#server/tokens/wire.ts'

/** What a token may do with each scope. */
export const scopeLabels: Record<Scope, string> = {
  'deals:read': 'Read deals, their events, and what a mirror of them lacks.',
  'files:read': 'Read files of deals.',
  'webhooks:read': 'See where events are sent.',
  'webhooks:write': 'Change where events are sent.',
}

/** How a token does, in a word or two. */
export const stateLabels: Record<TokenLine['state'], { label: string; tone: Tone }> = {
  works: { label: 'Works', tone: 'good' },
  'expires-soon': { label: 'Expires soon', tone: 'wait' },
  replaced: { label: 'Replaced', tone: 'info' },
  suspended: { label: 'Partner suspended', tone: 'bad' },
  expired: { label: 'Expired', tone: 'neutral' },
  revoked: { label: 'Revoked', tone: 'neutral' },
}

/** How long a new token may work. */
export const expiryLabels: Record<(typeof expiryChoices)[number], string> = {
  '30d': 'In 30 days',
  '90d': 'In 90 days',
  '365d': 'In 1 year',
  never: 'Never',
  day: 'After a day of your choice',
}

/** How long a replaced token may work on. */
export const graceLabels: Record<(typeof graces)[number], string> = {
  now: 'It ends now',
  '1h': 'For 1 hour',
  '24h': 'For 24 hours',
  '7d': 'For 7 days',
}

/** How a token is told from others of its name. */
export const labelOf = ({ name, prefix }: Pick<TokenLine, 'name' | 'prefix'>) => `${name}, ${prefix}…`

/** From where and by what a token was last used: `from 203.0.113.9 by curl`; empty when neither is known. */
export function whoUsed({ from, by }: NonNullable<TokenLine['lastUse']>): string {
  return [from === null ? [] : `from ${from}`, by === null ? [] : `by ${by}`].flat().join(' ')
}

/** What breaks when a token is revoked. */
export function revokeText(
  { lastUse, requests }: Pick<TokenLine, 'lastUse' | 'requests'>,
  nowMs: number,
): string {
  if (lastUse === null) return 'It was never used. Whatever holds it is refused from now on.'
  const who = whoUsed(lastUse)
  return `Used ${formatAgo(lastUse.at.toISOString(), nowMs)}${who === '' ? '' : ` ${who}`}, ${formatCountOf(requests.today, 'request')} today: whatever uses it stops working at once.`
}
