/** Roles: member (reads) and admin (manages) of a partner, and operator of the installer's staff. */
export const roles = ['member', 'admin', 'operator'] as const
export type Role = (typeof roles)[number]

/** The roles that manage users, tokens and webhooks. A new role gets these rights once listed here. */
export const managerRoles = ['admin', 'operator'] as const satisfies readonly Role[]

/** Returns whether a role manages users, tokens and webhooks. */
export const isManager = (role: Role): boolean => managerRoles.some((manager) => manager === role)

/** The roles that manage their own partner only. */
export const adminRoles = managerRoles.filter((role) => role !== 'operator')

/** Returns whether a role manages users, tokens and webhooks of its partner alone. */
export const isAdmin = (role: Role): boolean => adminRoles.some((admin) => admin === role)

/** A role that a partner's users may have. */
export type TeamRole = Exclude<Role, 'operator'>
export const teamRoles = roles.filter((role) => role !== 'operator') as [TeamRole, ...TeamRole[]]
