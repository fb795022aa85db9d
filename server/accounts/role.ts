/**
 * A partner's users are members, who read, or admins, who also manage. The installer's staff are operators.
 */
export const roles = ['member', 'admin', 'operator'] as const
export type Role = (typeof roles)[number]

/**
 * The roles that manage users, tokens and webhooks. A new role gets these rights only when it is added here.
 */
export const managerRoles = ['admin', 'operator'] as const satisfies readonly Role[]

/** Returns true if the role manages users, tokens and webhooks. */
export const isManager = (role: Role): boolean => managerRoles.some((manager) => manager === role)

/** The roles that manage only their own partner. */
export const adminRoles = managerRoles.filter((role) => role !== 'operator')

/** Returns true if the role manages users, tokens and webhooks of its own partner only. */
export const isAdmin = (role: Role): boolean => adminRoles.some((admin) => admin === role)

/** A role that a partner's users can have. */
export type TeamRole = Exclude<Role, 'operator'>
export const teamRoles = roles.filter((role) => role !== 'operator') as [TeamRole, ...TeamRole[]]
