import { adminSilentDays } from '#server/partners/policy.ts'
import { dayMs } from '#server/values/units.ts'

/**
 * Warns that a partner may have no one to manage its team: no admin, or none active recently. Null if
 * somebody can. `adminSeenAt` is when an admin was last active.
 */
export function adminProblem(
  { admins, adminSeenAt }: { admins: number; adminSeenAt: Date | null },
  nowMs: number,
): string | null {
  if (admins === 0) return 'No admin'
  if (adminSeenAt !== null && nowMs - adminSeenAt.getTime() <= adminSilentDays * dayMs) return null
  return `${admins === 1 ? 'Only' : 'No'} admin has ${admins === 1 ? 'not ' : ''}signed in for ${adminSilentDays} days`
}
