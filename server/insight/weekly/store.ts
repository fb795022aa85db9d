import type { Fragment } from 'postgres'
import { inRow } from '#db/fragments.ts'
import type { TenantScope } from '../../accounts/partner.ts'
import { isWithin } from '../../accounts/tenant-store.ts'
import { rolesOf } from '../../deals/columns.ts'
import { holderOf, holds } from '../../deals/milestones/money.ts'
import { isLate } from '../../search/status-store.ts'
import type { TotalsKind } from '../../search/totals/read-totals.ts'
import type { DealSnapshot } from '../../search/totals/store.ts'
import { type Zone, dayOf } from '../../values/zone.ts'
import { homeTotals } from '../store.ts'
import type { WaitingGroup, WaitingTotals } from './waiting.ts'

/** Returns the id of the person with a role, given as a mask of the column `roles`. */
const personWith = (sql: DealSnapshot, roles: Fragment) => sql`
  (select person.id from unnest(deals.people, deals.roles) as person (id, roles)
    where person.roles & ${roles} <> 0 limit 1)`

/** Returns the tenant's deals grouped by hold, responsible people, and the late step. */
function readGroups(sql: DealSnapshot, tenant: TenantScope, zone: Zone): Promise<WaitingGroup[]> {
  const roles = holds.flatMap((hold) => {
    const holder = holderOf(hold)
    return holder === null || holder === 'lender'
      ? []
      : [sql`when ${hold} then ${rolesOf([holder])}::integer`]
  })
  const ofLender = holds.filter((hold) => holderOf(hold) === 'lender')
  return sql<WaitingGroup[]>`
    select stage, hold, late, manager.name as manager,
      case when hold = any(${ofLender}::text[]) then lender else person.name end as person,
      sum(groups.count)::float8 as count, sum(groups.amount)::float8 as amount
    from (
      select coalesce(stage, '') as stage, coalesce(hold, 'unknown') as hold,
        case when ${isLate(sql, zone)} then due_step end as late,
        ${personWith(sql, sql`${rolesOf(['projectManager'])}::integer`)} as manager_id,
        ${personWith(sql, sql`case hold ${inRow(sql, roles)} else 0 end`)} as person_id,
        case when hold = any(${ofLender}::text[]) then lender end as lender,
        count(*) as count, coalesce(sum(amount), 0) as amount
      from deals where ${isWithin(sql, tenant)} group by 1, 2, 3, 4, 5, 6
    ) groups
    left join people manager on manager.id = manager_id
    left join people person on person.id = person_id
    group by 1, 2, 3, 4, 5`
}

/** Totals of holds and responsible people. */
export const waitingTotals: TotalsKind<WaitingTotals> = {
  name: 'waiting-1',
  isByZone: true,
  atOnceMax: 2000,
  compute: async (sql, tenant, zone, now) => ({
    today: dayOf(now, zone),
    groups: await readGroups(sql, tenant, zone),
  }),
  // With the same steps and days as Home.
  validUntil: homeTotals.validUntil!,
}
