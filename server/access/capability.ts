import { type Role, adminRoles, managerRoles, roles } from '../accounts/role.ts'
import { type Scope, internalScopes, scopes } from '../tokens/policy.ts'

/** The roles that have each capability. Procedures and the navigation both check these. */
export const capabilities = {
  /** The Money page. The amounts of single deals are visible to everyone who sees the deal. */
  seeMoney: roles,
  /** Managing tokens, deliveries and data issues, and reading the audit log. */
  manage: managerRoles,
  /** Managing the team and endpoints of one's own partner. */
  administer: adminRoles,
  /** Operating the system: partners, imports, sources, stages and health. */
  operate: ['operator'],
} as const satisfies Record<string, readonly Role[]>

export type Capability = keyof typeof capabilities

/** The error message for roles without a capability. */
export const refusals: Record<Capability, string> = {
  seeMoney: 'Your role does not include money',
  manage: 'Only admins can do this',
  administer: 'Only admins can do this',
  operate: 'Only operators can do this',
}

/** The scopes of signed-in users by role. Tokens have scopes of their own. */
export const scopesOf: Record<Role, readonly Scope[]> = {
  member: ['deals:read', 'files:read', 'insight:read'],
  admin: scopes,
  operator: [...internalScopes, 'webhooks:read'],
}

export const may = (role: Role, capability: Capability): boolean =>
  capabilities[capability].some((allowed) => allowed === role)
