import { conditionOf } from '../deals/find/condition-store.ts'
import { type TotalsKind } from '../deals/totals/read-totals.ts'
import { addDays, dayOf, startOfDay } from '../protocol/zone.ts'

/** What the deals of a partner come to. */
export interface PartnerTotals {
  id: number
  open: number
  /** Those of the open ones that are late. */
  late: number
  /** The dollars of the open ones. */
  amount: number
}

/** The totals of all partners with deals, by the days of a zone; what stages are is as of the count. */
export const partnerTotals: TotalsKind<PartnerTotals[]> = {
  name: 'partners-1',
  isByZone: true,
  async compute(sql, reach, zone) {
    const [isOpen, isLate] = [
      conditionOf(sql, reach, { isOpen: true }, zone),
      conditionOf(sql, reach, { isLate: true }, zone),
    ]
    return [
      ...(await sql<PartnerTotals[]>`
        select partner_id as id, count(*)::float8 as open, (count(*) filter (where ${isLate}))::float8 as late,
          coalesce(sum(amount), 0)::float8 as amount
        from deals where partner_id is not null and ${isOpen} group by 1`),
    ]
  },
  validUntil: async (_sql, _reach, zone, now) => new Date(startOfDay(addDays(dayOf(now, zone), 1), zone)),
}
