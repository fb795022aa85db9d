import type { TenantScope } from '../../accounts/partner.ts'
import { withTimeout } from '../../admission/with-timeout.ts'
import type { ReadUsual } from '../../deals/derived-columns.ts'
import { listIdOf } from '../../deals/list-store.ts'
import type { UsualSteps } from '../../deals/milestones/expected.ts'
import { minuteMs } from '../../values/units.ts'
import type { Zone } from '../../values/zone.ts'

const lifetimeMs = 10 * minuteMs
const maxEntries = 1000
/** Maximum wait for the durations. After that, rows are shown without expected payments. */
const timeoutMs = 1000

/**
 * Returns a reader that caches usual durations for ten minutes. While they are reloaded, it returns the old
 * ones, or null if there are none yet.
 */
export function cacheUsual(
  read: (tenant: TenantScope, zone: Zone) => Promise<UsualSteps>,
  nowMs: () => number,
): ReadUsual {
  const cached = new Map<string, { reading: Promise<UsualSteps | null>; atMs: number }>()
  const last = new Map<string, UsualSteps>()
  return async (tenant, zone) => {
    const key = `${listIdOf(tenant)} ${zone}`
    let entry = cached.get(key)
    if (entry === undefined || nowMs() - entry.atMs > lifetimeMs) {
      if (cached.size >= maxEntries) {
        cached.clear()
        last.clear()
      }
      const reading = read(tenant, zone).then(
        (usual) => {
          last.set(key, usual)
          return usual
        },
        () => {
          cached.delete(key)
          return null
        },
      )
      entry = { reading, atMs: nowMs() }
      cached.set(key, entry)
    }
    return last.get(key) ?? withTimeout(entry.reading, timeoutMs, () => null)
  }
}
