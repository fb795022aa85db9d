import { dayMs, hourMs, minuteMs } from '../values/units.ts'

/** Lifetime of each kind of link. */
export const linkLifetimeMs = { invitation: 7 * dayMs, reset: hourMs, 'sign-in': 15 * minuteMs }

/** Maximum open invitations per partner. */
export const openInvitationsMax = 50
