import type { Role, TeamRole } from '#server/accounts/role.ts'

/** The labels of the roles. */
export const roleLabels: Record<Role, string> = { member: 'Member', admin: 'Admin', operator: 'Operator' }

/** The permissions of each role of a partner. */
export const roleRights: Record<TeamRole, string> = {
  member: 'can view deals and files',
  admin: 'can also manage webhooks, tokens and the team',
}
