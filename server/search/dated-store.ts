import type { Fragment, ISql } from 'postgres'
import { listed } from '#db/fragments.ts'
import type { TenantScope } from '../accounts/partner.ts'
import { isWithin } from '../accounts/tenant-store.ts'
import type { TimeField } from '../deals/columns.ts'
import type { Zone } from '../values/zone.ts'
import { isPast, timeOf } from './step-store.ts'

/**
 * SQL that ends a subquery so that its columns are computed once per row instead of at each use. PostgreSQL
 * treats the quoted text as a constant, which allows parallel scans; a number would prevent these.
 */
export const onceEach = (sql: ISql) => sql`offset '0'`

/** Deals with the date columns that a count needs. */
export interface DatedDeals {
  /** The deals as a `from` clause. */
  deals: Fragment
  /** Returns SQL for the time of a date field. The time is null if it is in the future. */
  time: (field: TimeField) => Fragment
}

/**
 * Returns all of the tenant's deals with their past dates. Each date is computed once per deal because the
 * rules of steps use most dates many times.
 */
export function datedDeals(
  sql: ISql,
  tenant: TenantScope,
  zone: Zone,
  fields: readonly TimeField[],
): DatedDeals {
  const time = (field: TimeField) => sql`${sql(`come_${field}`)}`
  const columns = [...new Set(fields)].map((field) => {
    const given = timeOf(sql, field)
    return sql`case when ${isPast(sql, given, zone)} then ${given} end as ${time(field)}`
  })
  return {
    deals: sql`(
      select *, ${listed(sql, columns)}
      from deals where ${isWithin(sql, tenant)} ${onceEach(sql)}) deals`,
    time,
  }
}
