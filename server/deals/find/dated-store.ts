import type { Fragment, ISql } from 'postgres'
import { listed } from '#db/fragments.ts'
import type { TenantScope } from '../../accounts/partner.ts'
import type { Zone } from '../../protocol/zone.ts'
import type { TimeField } from './columns.ts'
import { isWithin } from './condition-store.ts'
import { isPast, timeOf } from './step-store.ts'

/**
 * Ends a subquery whose columns are computed once a row, and not wherever they are asked for. The planner takes the text for
 * a constant, unlike a number, and lets several processes scan.
 */
export const onceEach = (sql: ISql) => sql`offset '0'`

/** Deals with a column for each date that a count asks for. */
export interface DatedDeals {
  /** The deals, as a source of a query. */
  deals: Fragment
  /** Returns the time of a date; null when it has not come. */
  time: (field: TimeField) => Fragment
}

/**
 * Returns all of the tenant's deals with these dates as far as they have come, each computed once a deal: the rules of steps
 * ask for most of them many times.
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
