import { dayMs, hourMs, minuteMs } from '../protocol/units.ts'

/** How long each kind of link works. */
export const linkLifetimeMs = { invitation: 7 * dayMs, reset: hourMs, 'sign-in': 15 * minuteMs }

/** How many invitations of a partner may be open at once. */
export const openInvitationsMax = 50
