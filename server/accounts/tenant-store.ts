import type { Fragment, ISql } from 'postgres'
import type { TenantScope } from './partner.ts'

/** Returns the SQL condition that a row belongs to the tenant, by the column of its partner. */
export const isWithin = (sql: ISql, tenant: TenantScope, partnerId = sql`partner_id`): Fragment =>
  tenant === 0 ? sql`true` : sql`${partnerId} = ${tenant}`
