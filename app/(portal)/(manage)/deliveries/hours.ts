import { hourMs } from '#server/protocol/units.ts'
import type { Hour } from '#server/webhooks/log/store.ts'
import { logStates } from '#server/webhooks/wire.ts'

const hourCount = 24

/** Returns the last 24 hours, oldest first, including those without deliveries. */
export function lastDay(found: Hour[], nowMs: number): Hour[] {
  const current = Math.floor(nowMs / hourMs) * hourMs
  return Array.from({ length: hourCount }, (_, index) => {
    const at = current - (hourCount - 1 - index) * hourMs
    return {
      delivered: 0,
      waiting: 0,
      retrying: 0,
      failed: 0,
      ...found.find((hour) => hour.at.getTime() === at),
      at: new Date(at),
    }
  })
}

/** Returns the number of deliveries in an hour. */
export const totalOf = (hour: Hour) => logStates.reduce((sum, state) => sum + hour[state], 0)
