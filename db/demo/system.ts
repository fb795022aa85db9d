import type { Place } from '#db/demo/home.ts'
import type { Random } from '#db/demo/random.ts'
import { list, rows } from '#db/demo/tables.ts'

/** Inverter makes, with their shares of systems without and with a battery, and their battery. */
const makes = [
  {
    make: 'enphase',
    without: 58,
    with: 30,
    battery: 'Enphase IQ Battery 5P',
    price: 6_400,
    counts: [2, 2, 3, 4],
  },
  {
    make: 'solaredge',
    without: 27,
    with: 14,
    battery: 'SolarEdge Home Battery 400V',
    price: 12_200,
    counts: [1, 1, 1, 2],
  },
  { make: 'tesla', without: 15, with: 56, battery: 'Tesla Powerwall 3', price: 13_600, counts: [1, 1, 1, 2] },
] as const

const solarModules = rows('modules').map(([weight, name = '', watts]) => ({
  weight: Number(weight),
  name,
  watts: Number(watts),
}))

const roofs = new Map(
  rows('roofs').map(([landscape = '', types]) => [
    landscape,
    list(types).map((type) => {
      const [, weight, roof = ''] = /^(\d+) (.+)$/.exec(type)!
      return { weight: Number(weight), roof }
    }),
  ]),
)

/** The equipment of a system. */
export interface SolarSystem {
  moduleType: string
  modules: number
  watts: number
  inverterType: string
  inverters: number
  battery: string | null
  batteries: number
  /** Dollars each, installed. */
  batteryPrice: number
  roofType: string
}

/**
 * Returns the equipment of a system. Modules of 405 and 415 W come in pairs, so that kilowatts have
 * two decimals.
 */
export function system(random: Random, { modules: [from, to], batteries, landscape }: Place): SolarSystem {
  const module = random.weighted(solarModules)
  const count = from + Math.round(((random.next() + random.next()) / 2) * (to - from))
  const modules = module.watts % 10 === 0 ? count : count + (count % 2)
  const hasBattery = random.chance(batteries)
  const make = random.weighted(makes.map((one) => ({ ...one, weight: hasBattery ? one.with : one.without })))
  const units = hasBattery ? random.pick<number>(make.counts) : 0
  return {
    moduleType: module.name,
    modules,
    watts: modules * module.watts,
    ...inverter(random, make.make, module.watts, modules, units),
    battery: hasBattery ? make.battery : null,
    batteries: units,
    batteryPrice: make.price,
    roofType: random.weighted(roofs.get(landscape)!).roof,
  }
}

/**
 * Returns a micro-inverter for each module, or string inverters for up to one and a half times their power; a
 * Powerwall 3 includes its own.
 */
function inverter(random: Random, make: string, moduleWatts: number, modules: number, batteries: number) {
  const watts = moduleWatts * modules
  if (make === 'enphase') {
    const small = moduleWatts > 405 ? ['IQ8M', 'IQ8A'] : ['IQ8+', 'IQ8M']
    const type = random.pick(moduleWatts >= 430 ? ['IQ8A', 'IQ8HC'] : small)
    return { inverterType: `Enphase ${type}`, inverters: modules }
  }
  if (make === 'tesla')
    return batteries > 0
      ? { inverterType: 'Tesla Powerwall 3 (integrated)', inverters: batteries }
      : { inverterType: 'Tesla Solar Inverter 7.6 kW', inverters: Math.ceil(watts / 10_600) }
  const sizes = [
    [9_300, 'SE6000H'],
    [11_800, 'SE7600H'],
    [15_500, 'SE10000H'],
    [Infinity, 'SE11400H'],
  ] as const
  const [, size] = sizes.find(([upToWatts]) => watts <= upToWatts)!
  return { inverterType: `SolarEdge Home ${batteries > 0 ? 'Hub' : 'Wave'} ${size}`, inverters: 1 }
}

/** Systems that need an adder, or admit it. */
const conditions: Record<string, (system: SolarSystem) => boolean> = {
  any: () => true,
  flat: ({ roofType }) => roofType.startsWith('Flat'),
  'not flat': ({ roofType }) => !roofType.startsWith('Flat'),
  tile: ({ roofType }) => roofType.includes('tile'),
  metal: ({ roofType }) => roofType.includes('metal'),
  shingle: ({ roofType }) => roofType === 'Composition shingle',
  enphase: ({ inverterType }) => inverterType.startsWith('Enphase'),
  battery: ({ battery }) => battery !== null,
}

/** Extra work and equipment that a dealer adds to the price per watt, once or for each watt. */
const adders = rows('adders').map(([weight, name = '', dollars, unit, condition = '', when]) => ({
  weight: Number(weight),
  name,
  dollars: Number(dollars),
  isPerWatt: unit === 'a watt',
  fits: conditions[condition]!,
  isAlways: when === 'always',
}))

const lenders = rows('lenders').map(([weight, name = '']) => ({ weight: Number(weight), name }))

/** The price of a system. */
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
export function price(random: Random, { centsPerWatt }: Place, sold: SolarSystem): Price {
  const { watts, battery, batteries, batteryPrice } = sold
  const baseCentsPerWatt = centsPerWatt + 5 * (random.int(-3, 5) + random.int(-1, 5))
  const fitting = adders.filter(({ fits }) => fits(sold))
  const chosen = new Set(fitting.filter(({ isAlways }) => isAlways))
  for (let wanted = random.pick([0, 0, 1, 1, 1, 2, 2, 3]); wanted > 0; wanted--)
    chosen.add(random.weighted(fitting))
  const costs = [...chosen].map(({ dollars, isPerWatt }) => (isPerWatt ? dollars * watts : dollars))
  const sum = costs.reduce((total, cost) => total + cost, batteries * batteryPrice)
  const adderCentsPerWatt = Math.round((sum * 100) / watts)
  const lender = random.chance(0.83) ? random.weighted(lenders).name : null
  const amountCents = (baseCentsPerWatt + adderCentsPerWatt) * watts
  // A down payment is a round sum, about a tenth of the price.
  const downCents = random.chance(0.14) ? Math.round(amountCents / 1_000_000) * 100_000 : 0
  const batteryAdders = battery === null ? [] : [batteries === 1 ? battery : `${batteries} x ${battery}`]
  return {
    baseCentsPerWatt,
    adderCentsPerWatt,
    adders: [...batteryAdders, ...[...chosen].map(({ name }) => name)],
    otherAdders: fitting.filter((adder) => !chosen.has(adder) && !adder.isPerWatt).map(({ name }) => name),
    lender,
    loanCents: lender === null ? null : amountCents - downCents,
  }
}
