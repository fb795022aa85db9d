import { createParser } from 'nuqs/server'
import type { DealFilter } from '#server/deals/find/wire.ts'

/** Parses a box of coordinates, `west,south,east,north`, to about ten metres. */
export const parseAsArea = createParser<NonNullable<DealFilter['area']>>({
  parse(text) {
    const numbers = text.split(',')
    if (numbers.length !== 4 || !numbers.every((each) => /^-?\d{1,3}(?:\.\d{1,9})?$/.test(each))) return null
    const [west, south, east, north] = numbers.map((each) => Number(each) || 0) as [
      number,
      number,
      number,
      number,
    ]
    const isOnGlobe = west >= -180 && south >= -90 && east <= 180 && north <= 90
    return isOnGlobe && west <= east && south <= north ? { west, south, east, north } : null
  },
  serialize: textOfArea,
  eq: (a, b) => textOfArea(a) === textOfArea(b),
})

function textOfArea({ west, south, east, north }: NonNullable<DealFilter['area']>): string {
  return [west, south, east, north].map((each) => String(Number(each.toFixed(4)))).join(',')
}
