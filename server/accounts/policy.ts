import { dayMs, hourMs, minuteMs } from '../values/units.ts'

export const linkLifetimeMs = { invitation: 7 * dayMs, reset: hourMs, 'sign-in': 15 * minuteMs }

/** Maximum number of open invitations per partner. */
export const openInvitationsMax = 50
