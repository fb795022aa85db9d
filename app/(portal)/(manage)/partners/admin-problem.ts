import { adminSilentDays } from '#server/partners/policy.ts'
import { dayMs } from '#server/values/units.ts'

/**
 * Returns a warning if the partner has no admin or no recently active one, otherwise null. `adminSeenAt` is
 * when an admin was last active.
 */
export function adminProblem(
  { admins, adminSeenAt }: { admins: number; adminSeenAt: Date | null },
  nowMs: number,
): string | null {
  if (admins === 0) return 'No admin'
  if (adminSeenAt !== null && nowMs - adminSeenAt.getTime() <= adminSilentDays * dayMs) return null
  return `${admins === 1 ? 'Only' : 'No'} admin has ${admins === 1 ? 'not ' : ''}signed in for ${adminSilentDays} days`
}
