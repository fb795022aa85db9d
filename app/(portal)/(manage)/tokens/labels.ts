import type { Tone } from '#app/ui/badge.tsx'
import { type Format, formatCountOf } from '#app/ui/format.ts'
import type { Scope } from '#server/tokens/policy.ts'
import type { TokenLine, expiryChoices, graces } from '#server/tokens/wire.ts'

export const scopeLabels: Record<Scope, string> = {
  'deals:read': 'Read deals and events, and reconcile a copy of them.',
  'files:read': 'Read deal files.',
  'insight:read': 'Read figures about deals.',
  'webhooks:read': 'View webhook URLs.',
  'webhooks:write': 'Change webhook URLs.',
}

/** Label and tone of each token state. */
export const stateLabels: Record<TokenLine['state'], { label: string; tone: Tone }> = {
  works: { label: 'Active', tone: 'good' },
  'expires-soon': { label: 'Expires soon', tone: 'wait' },
  replaced: { label: 'Replaced', tone: 'info' },
  suspended: { label: 'Partner suspended', tone: 'bad' },
  expired: { label: 'Expired', tone: 'neutral' },
  revoked: { label: 'Revoked', tone: 'neutral' },
}

export const expiryLabels: Record<(typeof expiryChoices)[number], string> = {
  '30d': 'In 30 days',
  '90d': 'In 90 days',
  '365d': 'In 1 year',
  never: 'Never',
  day: 'On a date you choose',
}

/** Labels of how long a replaced token stays valid. */
export const graceLabels: Record<(typeof graces)[number], string> = {
  now: 'Now',
  '1h': 'In 1 hour',
  '24h': 'In 24 hours',
  '7d': 'In 7 days',
}

/** Returns a label that distinguishes tokens with the same name. */
export const distinctLabel = ({ name, prefix }: Pick<TokenLine, 'name' | 'prefix'>) => `${name}, ${prefix}…`

/**
 * Returns the IP address and client of the last use, such as `from 203.0.113.9 by curl`. Empty if both are
 * unknown.
 */
export function whoUsed({ from, by }: NonNullable<TokenLine['lastUse']>): string {
  return [from === null ? [] : `from ${from}`, by === null ? [] : `by ${by}`].flat().join(' ')
}

export function revokeText(
  { lastUse, requests }: Pick<TokenLine, 'lastUse' | 'requests'>,
  nowMs: number,
  { formatAgo }: Format,
): string {
  const effect = 'Clients using it are rejected immediately.'
  if (lastUse === null) return `Never used. ${effect}`
  const who = whoUsed(lastUse)
  return `Used ${formatAgo(lastUse.at, nowMs)}${who === '' ? '' : ` ${who}`}, ${formatCountOf(requests.today, 'request')} today. ${effect}`
}
