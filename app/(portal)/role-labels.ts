import type { Role } from '#server/accounts/user.ts'

/** The labels of the roles. */
export const roleLabels: Record<Role, string> = { member: 'Member', admin: 'Admin', operator: 'Operator' }
