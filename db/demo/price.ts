import type { Place } from '#db/demo/places.ts'
import type { Random } from '#db/demo/random.ts'
import type { SolarSystem } from '#db/demo/system.ts'

interface Adder {
  weight: number
  name: string
  /** Dollars, or dollars per watt of the system. */
  price: number
  perWatt?: boolean
  /** Omitted: any system. */
  fits?: (system: SolarSystem) => boolean
  /** Charged if it applies. */
  always?: boolean
}

/** Extra work and equipment that a dealer adds to the price per watt. */
const adders: readonly Adder[] = [
  { weight: 20, name: 'Main panel upgrade', price: 3_200 },
  { weight: 14, name: 'Critter guard', price: 850 },
  { weight: 9, name: 'Level 2 EV charger', price: 1_450 },
  { weight: 6, name: 'Sub-panel', price: 1_100 },
  { weight: 7, name: 'Two-story', price: 0.05, perWatt: true },
  {
    weight: 6,
    name: 'Steep roof',
    price: 0.1,
    perWatt: true,
    fits: ({ roofType }) => !roofType.startsWith('Flat'),
  },
  {
    weight: 0,
    name: 'Tile roof',
    price: 0.12,
    perWatt: true,
    always: true,
    fits: ({ roofType }) => roofType.includes('tile'),
  },
  {
    weight: 0,
    name: 'Metal roof attachments',
    price: 0.08,
    perWatt: true,
    always: true,
    fits: ({ roofType }) => roofType.includes('metal'),
  },
  {
    weight: 0,
    name: 'Tilt racking',
    price: 0.2,
    perWatt: true,
    always: true,
    fits: ({ roofType }) => roofType.startsWith('Flat'),
  },
  { weight: 4, name: 'Trenching', price: 1_900 },
  { weight: 3, name: 'Tree trimming', price: 950 },
  {
    weight: 4,
    name: 'Roof repair',
    price: 2_400,
    fits: ({ roofType }) => roofType === 'Composition shingle',
  },
  {
    weight: 5,
    name: 'Consumption monitoring',
    price: 350,
    fits: ({ inverterType }) => inverterType.startsWith('Enphase'),
  },
  { weight: 5, name: 'Soft start kit', price: 550, fits: ({ battery }) => battery !== null },
  { weight: 3, name: 'SPAN smart panel', price: 4_900, fits: ({ battery }) => battery !== null },
]

const lenders = [
  { weight: 40, name: 'GoodLeap' },
  { weight: 17, name: 'Sungage Financial' },
  { weight: 14, name: 'Dividend Finance' },
  { weight: 11, name: 'Climate First Bank' },
  { weight: 10, name: 'Skylight Lending' },
  { weight: 8, name: 'Service Finance' },
]

export interface Price {
  /** Whole cents. */
  baseCentsPerWatt: number
  adderCentsPerWatt: number
  adders: readonly string[]
  /** Work and equipment that a change order could add as well. */
  otherAdders: readonly string[]
  /** Null: paid in cash. */
  lender: string | null
  loanCents: number | null
}

/**
 * Returns the price of a system: base and adders in whole cents per watt, so that every sum is exact to the
 * cent.
 */
export function price(random: Random, { centsPerWatt }: Place, system: SolarSystem): Price {
  const baseCentsPerWatt = centsPerWatt + 5 * (random.int(-3, 5) + random.int(-1, 5))
  const fitting = adders.filter((adder) => adder.fits?.(system) ?? true)
  const chosen = new Set(fitting.filter((adder) => adder.always))
  for (let wanted = random.pick([0, 0, 1, 1, 1, 2, 2, 3]); wanted > 0; wanted--)
    chosen.add(random.weighted(fitting))
  const storage = system.batteries * system.batteryPrice
  const dollars = [...chosen].reduce(
    (sum, adder) => sum + (adder.perWatt ? adder.price * system.watts : adder.price),
    storage,
  )
  const adderCentsPerWatt = Math.round((dollars * 100) / system.watts)
  const lender = random.chance(0.83) ? random.weighted(lenders).name : null
  const amountCents = (baseCentsPerWatt + adderCentsPerWatt) * system.watts
  // A down payment is a round sum, about a tenth of the price.
  const downCents = random.chance(0.14) ? Math.round(amountCents / 1_000_000) * 100_000 : 0
  return {
    baseCentsPerWatt,
    adderCentsPerWatt,
    adders: [...batteryAdder(system), ...[...chosen].map((adder) => adder.name)],
    otherAdders: fitting.filter((adder) => !chosen.has(adder) && !adder.perWatt).map((adder) => adder.name),
    lender,
    loanCents: lender === null ? null : amountCents - downCents,
  }
}

function batteryAdder({ battery, batteries }: SolarSystem): string[] {
  if (battery === null) return []
  return [batteries === 1 ? battery : `${batteries} x ${battery}`]
}
