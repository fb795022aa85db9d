import { dayMs, hourMs, minuteMs } from '../values/units.ts'

export const linkLifetimeMs = { invitation: 7 * dayMs, reset: hourMs, 'sign-in': 15 * minuteMs }

/** The purpose of a link: accepting an invitation, setting a new password, or signing in. */
export type LinkKind = keyof typeof linkLifetimeMs

/** Maximum number of open invitations per partner. */
export const openInvitationsMax = 50
