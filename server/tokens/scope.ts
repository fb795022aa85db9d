/** What a token may be allowed to do. */
export const scopes = ['deals:read', 'files:read', 'webhooks:read', 'webhooks:write'] as const
export type Scope = (typeof scopes)[number]

/** What an internal token may do: it stands for no partner, so it has no webhook addresses. */
export const internalScopes: readonly Scope[] = ['deals:read', 'files:read']
