import { listed } from '#db/fragments.ts'
import type { Reach } from '../accounts/partner.ts'
import { isWithin } from './find/condition-store.ts'
import { timeOf } from './find/step-store.ts'
import { stepFields } from './milestones/standing.ts'
import type { DealSnapshot } from './totals/store.ts'

/**
 * Returns the first time ahead at which a step of a deal within reach begins or ends, which changes the answers
 * to questions; null when there is none. Dates without a time are among them: they come at the latest with the day.
 */
export async function readNextStep(sql: DealSnapshot, reach: Reach): Promise<Date | null> {
  const steps = stepFields.map((field) => timeOf(sql, field))
  const ahead = listed(
    sql,
    steps.map((time) => sql`min(${time}) filter (where ${time} > now())`),
  )
  const [row] = await sql<[{ ms: number | null }]>`
    select extract(epoch from least(${ahead}))::float8 * 1000 as ms from deals where ${isWithin(sql, reach)}`
  return row.ms === null ? null : new Date(Math.floor(row.ms))
}
