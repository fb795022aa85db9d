import type { TenantScope } from '../../accounts/partner.ts'
import { withTimeout } from '../../admission/with-timeout.ts'
import type { ReadUsual } from '../../deals/derived-columns.ts'
import { listIdOf } from '../../deals/list-store.ts'
import type { UsualSteps } from '../../deals/milestones/expected.ts'
import { minuteMs } from '../../values/units.ts'
import type { Zone } from '../../values/zone.ts'

const keptMs = 10 * minuteMs
const keptMax = 1000
/** Rows are shown without expected payments rather than late. */
const waitMs = 300

/**
 * Returns a reader of usual durations that keeps them for some minutes, and older ones until they are read
 * again; null while they are first counted.
 */
export function cacheUsual(read: (tenant: TenantScope, zone: Zone) => Promise<UsualSteps>): ReadUsual {
  const kept = new Map<string, { reading: Promise<UsualSteps | null>; atMs: number }>()
  const last = new Map<string, UsualSteps>()
  return async (tenant, zone) => {
    const key = `${listIdOf(tenant)} ${zone}`
    let entry = kept.get(key)
    if (entry === undefined || Date.now() - entry.atMs > keptMs) {
      if (kept.size >= keptMax) {
        kept.clear()
        last.clear()
      }
      const reading = read(tenant, zone).then(
        (usual) => {
          last.set(key, usual)
          return usual
        },
        () => {
          kept.delete(key)
          return null
        },
      )
      entry = { reading, atMs: Date.now() }
      kept.set(key, entry)
    }
    return last.get(key) ?? withTimeout(entry.reading, waitMs, () => null)
  }
}
