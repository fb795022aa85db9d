import type { TenantScope } from '../../accounts/partner.ts'
import type { ReadUsual } from '../../deals/find/derived-columns.ts'
import { listIdOf } from '../../deals/list-store.ts'
import type { UsualSteps } from '../../deals/milestones/expected.ts'
import { minuteMs } from '../../protocol/units.ts'
import { withTimeout } from '../../protocol/with-timeout.ts'
import type { Zone } from '../../protocol/zone.ts'

const keptMs = 10 * minuteMs
const keptMax = 1000
/** Rows are shown without expected payments rather than late. */
const waitMs = 50

/** Returns a reader of usual durations that keeps them for some minutes; null while they are first counted. */
export function cacheUsual(read: (tenant: TenantScope, zone: Zone) => Promise<UsualSteps>): ReadUsual {
  const kept = new Map<string, { usual: Promise<UsualSteps | null>; atMs: number; last: UsualSteps | null }>()
  return async (tenant, zone) => {
    const key = `${listIdOf(tenant)} ${zone}`
    const known = kept.get(key)
    const nowMs = Date.now()
    if (known !== undefined && nowMs - known.atMs < keptMs)
      return withTimeout(known.usual, waitMs, () => known.last)
    if (kept.size >= keptMax) kept.clear()
    const entry = { atMs: nowMs, last: known?.last ?? null, usual: Promise.resolve<UsualSteps | null>(null) }
    entry.usual = read(tenant, zone).then(
      (usual) => (entry.last = usual),
      () => {
        kept.delete(key)
        return entry.last
      },
    )
    kept.set(key, entry)
    return withTimeout(entry.usual, waitMs, () => entry.last)
  }
}
