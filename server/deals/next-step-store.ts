import type { TenantScope } from '../accounts/partner.ts'
import { isWithin } from './find/condition-store.ts'
import type { DealSnapshot } from './totals/store.ts'

/** Returns when a date of a deal of the tenant comes first that changes where the deal is; null when none does. */
export async function readNextStep(sql: DealSnapshot, tenant: TenantScope): Promise<Date | null> {
  const [row] = await sql<[{ at: string | null }]>`
    select min(status_changes_at)::text as at from deals
    where ${isWithin(sql, tenant)} and status_changes_at > now()`
  return row.at === null ? null : new Date(row.at)
}
