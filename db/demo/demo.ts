import { isHoliday, weekday } from '#db/demo/calendar.ts'
import { demoDeal, type Portfolio } from '#db/demo/deal.ts'
import { crew, staff } from '#db/demo/people.ts'
import { Random, seedAt, seedOf } from '#db/demo/random.ts'
import type { Deal } from '#server/deals/deal.ts'
import { dayMs } from '#server/values/units.ts'

export { agreementPdf, planSetPdf } from '#db/demo/documents.ts'
export { housePhoto } from '#db/demo/photo.ts'

export interface DemoPartner {
  slug: string
  name: string
  /** The number of demo deals. */
  deals: number
  firstId: bigint
  /** Where the partner sells. */
  states: readonly string[]
}

/** The partners of the demonstration; their ids are at least a million apart, so none overlap. */
export const demoPartners: readonly DemoPartner[] = [
  {
    slug: 'sunline-home-energy',
    name: 'Sunline Home Energy',
    deals: 1_100,
    firstId: 20_411_307_118n,
    states: ['AZ', 'CA', 'NV', 'NM'],
  },
  {
    slug: 'gulf-breeze-solar',
    name: 'Gulf Breeze Solar',
    deals: 620,
    firstId: 20_412_880_402n,
    states: ['TX', 'FL', 'NC'],
  },
  {
    slug: 'ridgeline-solar-advisors',
    name: 'Ridgeline Solar Advisors',
    deals: 280,
    firstId: 20_414_051_963n,
    states: ['UT', 'CO'],
  },
]

export interface DemoDealsOptions {
  /** Deals are in any state unless it sells in some. */
  partner: { slug: string; name: string; states?: readonly string[] }
  count: number
  /** The id of the first deal; each next one is 1 to 59 larger. */
  firstId: bigint
  /** Only its day in UTC matters: past steps lie before that midnight, planned ones may lie after it. */
  now: Date
  /** The UTC day to generate deals for; defaults to the day of `now`. Later deals are omitted. */
  asOf?: Date
  seed?: number
}

/**
 * Yields deals of one partner over the last year, oldest first, the same for the same arguments. Memory does
 * not grow with `count`.
 */
export function* demoDeals({
  partner,
  count,
  firstId,
  now,
  asOf = now,
  seed = 1,
}: DemoDealsOptions): Generator<Deal> {
  const today = startOfDay(now)
  const portfolio: Portfolio = {
    slug: partner.slug,
    name: partner.name,
    states: partner.states,
    crew: crew(partner.slug),
    staff: staff(today),
    today: startOfDay(asOf),
  }
  const ofPartner = seedOf(`${partner.slug} ${seed}`)
  const random = new Random(ofPartner)
  let id = firstId
  let index = 0
  for (const createDate of createDates(random, count, today)) {
    // A random stream per deal: one more draw in a deal leaves the others unchanged.
    const seed = seedAt(ofPartner, index++)
    if (createDate < portfolio.today) yield demoDeal(new Random(seed), portfolio, id, createDate)
    id += BigInt(random.int(1, 59))
  }
}

const startOfDay = (date: Date) => Math.floor(date.getTime() / dayMs) * dayMs

const sellingFromMs = 16 * 3_600_000
const sellingForMs = 8 * 3_600_000

/**
 * Yields `count` ascending instants over the last year, in milliseconds: more in later months, fewer on
 * Saturdays, none on Sundays and holidays. 16:00 to 24:00 UTC is daytime in all US zones.
 */
function* createDates(random: Random, count: number, today: number): Generator<number> {
  const days: { start: number; from: number; weight: number }[] = []
  let total = 0
  let week = 1
  for (let daysAgo = 365; daysAgo >= 1; daysAgo--) {
    const start = today - daysAgo * dayMs
    const of = weekday(start / dayMs)
    if (of === 0) week = 0.75 + 0.5 * random.next()
    else if (!isHoliday(start / dayMs)) {
      const weight = (1.35 - (0.7 * daysAgo) / 365) * week * (of === 6 ? 0.55 : 1)
      days.push({ start: start + sellingFromMs, from: total, weight })
      total += weight
    }
  }
  let at = 0
  for (let index = 0; index < count; index++) {
    const position = ((index + random.next()) / count) * total
    while (at + 1 < days.length && (days[at + 1] as { from: number }).from <= position) at++
    const { start, from, weight } = days[at] as (typeof days)[number]
    yield Math.floor((start + ((position - from) / weight) * sellingForMs) / 1000) * 1000
  }
}
