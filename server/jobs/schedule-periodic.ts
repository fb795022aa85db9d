import type { PgBoss } from 'pg-boss'
import { jobKindNames, policyOf } from './kinds.ts'

/** Has the clock send the periodic kinds: once for all occurrences that were missed while no worker ran. */
export async function schedulePeriodic(boss: PgBoss): Promise<void> {
  const schedules = await boss.getSchedules()
  // Of an older version.
  for (const { name } of schedules)
    if (!jobKindNames.some((kind) => kind === name)) await boss.unschedule(name)
  for (const kind of jobKindNames) {
    const { cron } = policyOf(kind)
    const scheduled = schedules.find(({ name }) => name === kind)
    if (cron !== undefined && scheduled?.cron !== cron)
      await boss.schedule(kind, cron, null, { missed: 'once' })
  }
}
