import { adminSilentDays } from '#server/partners/policy.ts'
import { dayMs } from '#server/protocol/units.ts'

/**
 * Returns why nobody may be able to manage a partner's team: it has no admin, or none has been active for long. Null when
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
