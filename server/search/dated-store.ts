import type { Fragment, ISql } from 'postgres'
import { listed } from '#db/fragments.ts'
import type { TenantScope } from '../accounts/partner.ts'
import { isWithin } from '../accounts/tenant-store.ts'
import type { TimeField } from '../deals/columns.ts'
import type { Zone } from '../values/zone.ts'
import { isPast, timeOf } from './step-store.ts'

/**
 * Ends a subquery to compute its columns once per row, not at each use. The planner treats the text as a
 * constant, unlike a number, and allows parallel scans.
 */
export const onceEach = (sql: ISql) => sql`offset '0'`

/** Deals with a column for each date that a count needs. */
export interface DatedDeals {
  /** The deals, as a `from` clause. */
  deals: Fragment
  /** Returns the time of a date; null if it is in the future. */
  time: (field: TimeField) => Fragment
}

/**
 * Returns all of the tenant's deals with their past dates, each computed once per deal: the rules of steps
 * use most of them many times.
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
