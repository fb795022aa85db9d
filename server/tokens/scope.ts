/** All scopes of tokens. */
export const scopes = ['deals:read', 'files:read', 'insight:read', 'webhooks:read', 'webhooks:write'] as const
export type Scope = (typeof scopes)[number]

/** Scopes of internal tokens, which do not belong to a partner and therefore have no endpoints. */
export const internalScopes: readonly Scope[] = ['deals:read', 'files:read', 'insight:read']
