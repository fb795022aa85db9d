import { minuteMs } from '../values/units.ts'

/** Prefix of every token, so that secret scanners and logs can recognize tokens. */
export const tokenPrefix = 'pd_'

/** Number of days of usage that the portal shows. */
export const usageDays = 30

/** Length of a rate limit window. */
export const rateWindowMs = minuteMs

/** All scopes of tokens. */
export const scopes = ['deals:read', 'files:read', 'insight:read', 'webhooks:read', 'webhooks:write'] as const
export type Scope = (typeof scopes)[number]

/** Scopes of internal tokens, which do not belong to a partner and therefore have no endpoints. */
export const internalScopes: readonly Scope[] = ['deals:read', 'files:read', 'insight:read']
