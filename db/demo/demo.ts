import { isHoliday, weekday } from '#db/demo/calendar.ts'
import { demoDeal, type Portfolio } from '#db/demo/deal.ts'
import { crew, staff } from '#db/demo/people.ts'
import { Random, seedAt, seedOf } from '#db/demo/random.ts'
import { list, table } from '#db/demo/tables.ts'
import type { Deal } from '#server/deals/deal.ts'
import { dayMs, hourMs } from '#server/values/units.ts'

export { agreementPdf, planSetPdf } from '#db/demo/documents.ts'
export { housePhoto } from '#db/demo/documents.ts'

/** A demo partner, with its number of deals, the id of its first deal, and the states in which it sells. */
export type DemoPartner = ReturnType<typeof partnersOf>[number]

/**
 * Returns the partners in a section. Their first ids are at least a million apart, so that no ids overlap.
 */
export const partnersOf = (section: string) =>
  table(section, { slug: String, name: String, deals: Number, firstId: BigInt, states: list })

/** Partners with complete data. */
export const demoPartners = partnersOf('partners')

export interface DemoDealsOptions {
  /** The partner of the deals. If `states` is not set, deals are in any state. */
  partner: Pick<Portfolio, 'slug' | 'name' | 'states'>
  count: number
  /** Id of the first deal. Each following id is 1 to 59 larger. */
  firstId: bigint
  /**
   * The current time, of which only the UTC day matters. Past steps lie before that midnight, and planned
   * steps may lie after.
   */
  now: Date
  /** UTC day for which to generate deals. Defaults to the day of `now`. Later deals are omitted. */
  asOf?: Date
  seed?: number
}

/**
 * Yields the deals of one partner over the last year, oldest first. The same arguments yield the same deals.
 * Memory use does not grow with `count`.
 */
export function* demoDeals(options: DemoDealsOptions): Generator<Deal> {
  const { partner, count, firstId, now, asOf = now, seed = 1 } = options
  const today = startOfDay(now)
  const portfolio: Portfolio = {
    ...partner,
    crew: crew(partner.slug),
    staff: staff(today),
    today: startOfDay(asOf),
  }
  const ofPartner = seedOf(`${partner.slug} ${seed}`)
  const random = new Random(ofPartner)
  let id = firstId
  let index = 0
  for (const createDate of createDates(random, count, today)) {
    // Uses a separate random stream per deal, so that an additional draw in one deal does not change the
    // others.
    const seed = seedAt(ofPartner, index++)
    if (createDate < portfolio.today) yield demoDeal(new Random(seed), portfolio, id, createDate)
    id += BigInt(random.int(1, 59))
  }
}

const startOfDay = (date: Date) => Math.floor(date.getTime() / dayMs) * dayMs

/**
 * Yields `count` ascending instants over the last year, in milliseconds: more in later months, fewer on
 * Saturdays, and none on Sundays and holidays. 16:00 to 24:00 UTC is daytime in all US zones.
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
      days.push({ start: start + 16 * hourMs, from: total, weight })
      total += weight
    }
  }
  let at = 0
  for (let index = 0; index < count; index++) {
    const position = ((index + random.next()) / count) * total
    while (at + 1 < days.length && days[at + 1]!.from <= position) at++
    const { start, from, weight } = days[at]!
    yield Math.floor((start + ((position - from) / weight) * 8 * hourMs) / 1000) * 1000
  }
}
