/** Roles: member (reads) and admin (manages) of a partner, and operator of the installer's own staff. */
export const roles = ['member', 'admin', 'operator'] as const
export type Role = (typeof roles)[number]

/** A role that a partner's users may have. */
export type TeamRole = Exclude<Role, 'operator'>
export const teamRoles = roles.filter((role) => role !== 'operator') as [TeamRole, ...TeamRole[]]
