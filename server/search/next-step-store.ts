import type { TenantScope } from '../accounts/partner.ts'
import { isWithin } from '../accounts/tenant-store.ts'
import type { DealSnapshot } from './totals/store.ts'

/** Returns when the status of one of the tenant's deals will next change because of a date, or null. */
export async function readNextStep(sql: DealSnapshot, tenant: TenantScope): Promise<Date | null> {
  const [row] = await sql<[{ at: string | null }]>`
    select min(status_changes_at)::text as at from deals
    where ${isWithin(sql, tenant)} and status_changes_at > now()`
  return row.at === null ? null : new Date(row.at)
}
