import { beforeAll, describe, expect, test } from 'vitest'
import { makeCalendar, writeCountedDeals } from '#e2e/counted-deals.ts'
import { useDatabase } from '#e2e/use-database.ts'
import type { TenantScope } from '../accounts/partner.ts'
import type { KnownDeal, DealRecord } from '../deals/deal.ts'
import { countDeals } from '../search/count-store.ts'
import { dayMs } from '../values/units.ts'
import { type Zone, utc } from '../values/zone.ts'
import { mondaysUntil } from './periods.ts'
import { trendEvents, trendFields, trendSlices, trendUnits } from './reports-wire.ts'
import { readSlicedTrends, readTrends } from './trends-store.ts'

const now = new Date()
const day = (days: number) => new Date(now.getTime() - days * dayMs).toISOString()

const database = useDatabase()
let tenant: TenantScope
let deals: KnownDeal[]

beforeAll(async () => {
  const edges: Partial<DealRecord>[] = [
    {},
    { createDate: day(-1), totalPpw: 3 },
    { createDate: day(0), totalPpw: 0, amount: null, systemSize: 'about 7' },
    { createDate: `${day(0).slice(0, 10)}T00:00:00.000Z`, totalPpw: 2.345, stage: 'Cancelled', state: '' },
    { createDate: day(3000), installComplete: day(2) },
  ]
  ;({ tenant, deals } = await writeCountedDeals(database.db, { perPartner: 80, edges, now }))
})

const means = () => ({ db: database.db })

test('weeks begin on Monday, and the last is the current week', () => {
  expect(mondaysUntil('2026-03-15', 2)).toEqual(['2026-03-02', '2026-03-09'])
  expect(mondaysUntil('2026-03-16', 1)).toEqual(['2026-03-16'])
})

// Computes the expected figures independently by reading and sorting all deals.
describe.each([utc, 'America/New_York'] as Zone[])(
  'compared with an independent calculation in %s, the trends report',
  (zone) => {
    const { today, dayText, isPast } = makeCalendar(zone, now)
    function happened(deal: KnownDeal, event: (typeof trendEvents)[number], from: string, to: string) {
      const time = deal[trendFields[event]]
      return time !== null && isPast(time) && dayText(time) >= from && dayText(time) <= to
    }
    function summaryOf(among: KnownDeal[]) {
      const cents = among
        .flatMap(({ totalPpw }) => (totalPpw === null ? [] : [Math.round(totalPpw * 100)]))
        .toSorted((a, b) => a - b)
      const at = (share: number) => cents[Math.ceil(cents.length * share) - 1]! / 100
      return {
        count: among.length,
        amount: expect.closeTo(
          among.reduce((sum, { amount }) => sum + (amount ?? 0), 0),
          2,
        ) as number,
        size: expect.closeTo(
          among.reduce((sum, { systemSize }) => sum + (Number.parseFloat(systemSize ?? '') || 0), 0),
          4,
        ) as number,
        price: cents.length === 0 ? null : { low: at(0.2), median: at(0.5), high: at(0.8) },
      }
    }

    test.each(trendUnits)('gives the same figures by %s, each leading to its deals', async (unit) => {
      const {
        spans,
        days,
        now: current,
        previous,
      } = await readTrends(means(), { tenant, zone }, now, '12', unit)
      expect(spans).toHaveLength(unit === 'month' ? 12 : 26)
      expect(spans.at(-1)!.to).toBe(today)
      for (const { from, to, events } of spans)
        for (const event of trendEvents) {
          const wanted = deals.filter((deal) => happened(deal, event, from, to))
          expect(events[event], `${event} ${from}`).toEqual(summaryOf(wanted))
        }
      const last = spans.at(-2)!
      for (const event of trendEvents) {
        const filter = { dates: { [trendFields[event]]: { from: last.from, to: last.to } } }
        expect((await countDeals(database.db, { tenant, filter, zone })).count).toBe(last.events[event].count)
        const among = (span: { from: string; to: string }) =>
          summaryOf(deals.filter((deal) => happened(deal, event, span.from, span.to)))
        expect(current[event]).toEqual(among(days.now))
        expect(previous[event]).toEqual(among(days.previous))
      }
    })

    test.each(trendSlices)('gives the same figures by %s', async (slice) => {
      const { values, valueCount, days } = await readSlicedTrends(means(), { tenant, zone }, now, slice, '3')
      const all = Map.groupBy(deals, (deal) => deal[slice] ?? '')
      expect(valueCount).toBe(all.size)
      for (const { value, filter, now: current, previous } of values) {
        const among = all.get(value)!
        expect((await countDeals(database.db, { tenant, filter, zone })).count).toBe(among.length)
        for (const event of trendEvents) {
          const of = ({ from, to }: { from: string; to: string }) =>
            summaryOf(among.filter((deal) => happened(deal, event, from, to)))
          expect(current[event]).toEqual(of(days.now))
          expect(previous[event]).toEqual(of(days.previous))
        }
      }
    })
  },
)
