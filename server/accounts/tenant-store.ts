import { type AnyColumn, type SQL, sql as builder } from 'drizzle-orm'
import type { Fragment, ISql } from 'postgres'
import { type TenantScope, isEveryone } from './partner.ts'

/**
 * Returns the SQL condition that a row belongs to the tenant, given the column that contains the row's
 * partner.
 */
export const isWithin = (sql: ISql, tenant: TenantScope, partnerId = sql`partner_id`): Fragment =>
  isEveryone(tenant) ? sql`true` : sql`${partnerId} = ${tenant}`

/** Returns the same condition as `isWithin`, for the query builder. */
export const within = (tenant: TenantScope, partnerId: AnyColumn | SQL): SQL =>
  isEveryone(tenant) ? builder`true` : builder`${partnerId} = ${tenant}`
