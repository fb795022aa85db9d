import type { Database } from '#db/client.ts'
import { demoDeals, demoPartners } from '#db/demo/demo.ts'
import type { TenantScope } from '#server/accounts/partner.ts'
import { insertPartner } from '#server/accounts/store.ts'
import { writeDeals } from '#server/deals/deal-writer.ts'
import type { DealRecord, KnownDeal } from '#server/deals/deal.ts'
import { parseKnown } from '#server/deals/render.ts'
import { findFirst } from '#server/search/store.ts'
import { initialSort } from '#server/search/wire.ts'
import { utc } from '#server/values/zone.ts'

/**
 * Creates a partner with these deals and with `count` generated deals of every demo partner. Returns all
 * deals, so that tests can count without queries.
 */
export async function writeCountedDeals(
  db: Database,
  { perPartner, edges, now }: { perPartner: number; edges: Partial<DealRecord>[]; now: Date },
): Promise<{ tenant: TenantScope; deals: KnownDeal[] }> {
  const { id } = (await insertPartner(db, crypto.randomUUID(), 'A partner'))!
  const demo = demoPartners.flatMap((partner, index) => [
    ...demoDeals({ partner, count: perPartner, firstId: BigInt(10_000_000 * (index + 1)), now }),
  ])
  const records = [...demo, ...edges.map((edge, index) => ({ id: BigInt(index + 1), ...edge }))]
  await writeDeals(
    db,
    records.map((record) => ({ record, partnerId: id })),
    { now, events: false },
  )
  const tenant = id as TenantScope
  const found = await findFirst(db, { tenant, filter: {}, zone: utc }, initialSort, 5000)
  return { tenant, deals: found.map(({ json, given }) => parseKnown(json, given)) }
}

/**
 * Returns calendar functions for a zone, implemented independently: today, the day of a deal's value, and
 * whether that day has passed.
 */
export function makeCalendar(zone: string, now: Date) {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' })
  const isDate = (time: string) => time.endsWith('T00:00:00.000Z')
  const today = format.format(now)
  const dayText = (time: string) => (isDate(time) ? time.slice(0, 10) : format.format(new Date(time)))
  const isPast = (time: string) => (isDate(time) ? dayText(time) <= today : Date.parse(time) <= Date.now())
  return { today, dayText, isPast }
}
