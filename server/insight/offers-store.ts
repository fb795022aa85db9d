import { anyOf } from '#db/fragments.ts'
import type { TenantScope } from '../accounts/partner.ts'
import { isWithin } from '../accounts/tenant-store.ts'
import { columnOf, rolesOf } from '../deals/columns.ts'
import { flowFields } from '../deals/milestones/flow.ts'
import type { TotalsKind } from '../search/totals/read-totals.ts'
import type { DealSnapshot } from '../search/totals/store.ts'
import { repRoles } from './scorecard/wire.ts'
import { trendFields } from './trends/wire.ts'
import type { Offers } from './wire.ts'

type Fields = Omit<Offers, 'scorecard'>

async function readOffers(sql: DealSnapshot, tenant: TenantScope): Promise<Fields> {
  const isAny = (fields: readonly Parameters<typeof columnOf>[0][]) =>
    anyOf(
      sql,
      fields.map((field) => sql`${sql.unsafe(columnOf(field))} is not null`),
    )
  const ends = Object.values(flowFields).flatMap(({ to }) => (to === 'timeInCurrentStage' ? [] : [to]))
  const [offers] = await sql<[Fields]>`
    select coalesce(bool_or(county is not null), false) as map,
      coalesce(bool_or(${isAny(ends)}), false) as flow,
      coalesce(bool_or(${isAny(Object.values(trendFields))}), false) as trends,
      coalesce(bool_or(exists (
        select from unnest(roles) as role where role & ${rolesOf(repRoles)}::integer <> 0)), false) as reps
    from deals where ${isWithin(sql, tenant)}`
  return offers
}

/** Stored totals that determine which reports are offered. */
export const offersTotals: TotalsKind<Fields> = {
  name: 'offers-1',
  isByZone: false,
  compute: readOffers,
}
