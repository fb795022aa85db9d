import type { Place } from '#db/demo/home.ts'
import type { Random } from '#db/demo/random.ts'
import { list, rows } from '#db/demo/tables.ts'

/** Inverter makes, with their shares of systems without and with a battery, and their battery. */
const makes = rows('makes').map(([without, withBattery, inverter = '', battery = '', price]) => ({
  without: Number(without),
  with: Number(withBattery),
  inverter,
  battery,
  price: Number(price),
}))

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
 * Returns the equipment of a system, with a micro-inverter for each module or one string inverter. Modules of
 * 405 and 415 W come in pairs, so that kilowatts have two decimals.
 */
export function system(random: Random, { modules: [from, to], batteries, landscape }: Place): SolarSystem {
  const module = random.weighted(solarModules)
  const count = from + Math.round(((random.next() + random.next()) / 2) * (to - from))
  const modules = module.watts % 10 === 0 ? count : count + (count % 2)
  const hasBattery = random.chance(batteries)
  const make = random.weighted(makes.map((one) => ({ ...one, weight: hasBattery ? one.with : one.without })))
  return {
    moduleType: module.name,
    modules,
    watts: modules * module.watts,
    inverterType: make.inverter,
    inverters: make.inverter.startsWith('Enphase') ? modules : 1,
    battery: hasBattery ? make.battery : null,
    batteries: hasBattery ? random.pick([1, 1, 1, 2]) : 0,
    batteryPrice: make.price,
    roofType: random.weighted(roofs.get(landscape)!).roof,
  }
}

/** Extra work and equipment that a dealer adds to the price. */
const adders = rows('adders').map(([weight, name = '', dollars]) => ({
  weight: Number(weight),
  name,
  dollars: Number(dollars),
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
  const chosen = new Set<(typeof adders)[number]>()
  for (let wanted = random.pick([0, 0, 1, 1, 1, 2, 2, 3]); wanted > 0; wanted--)
    chosen.add(random.weighted(adders))
  const sum = [...chosen].reduce((total, { dollars }) => total + dollars, batteries * batteryPrice)
  const adderCentsPerWatt = Math.round((sum * 100) / watts)
  const lender = random.chance(0.83) ? random.weighted(lenders).name : null
  const amountCents = (baseCentsPerWatt + adderCentsPerWatt) * watts
  // A down payment is a round sum, about a tenth of the price.
  const downCents = random.chance(0.14) ? Math.round(amountCents / 1_000_000) * 100_000 : 0
  return {
    baseCentsPerWatt,
    adderCentsPerWatt,
    adders: [...(battery === null ? [] : [battery]), ...[...chosen].map(({ name }) => name)],
    otherAdders: adders.filter((adder) => !chosen.has(adder)).map(({ name }) => name),
    lender,
    loanCents: lender === null ? null : amountCents - downCents,
  }
}
