import type { Place } from '#db/demo/home.ts'
import type { Random } from '#db/demo/random.ts'
import { list, table } from '#db/demo/tables.ts'

/**
 * Inverter manufacturers, with their shares of systems without and with a battery, and their battery models.
 */
const makes = table('makes', {
  without: Number,
  with: Number,
  inverter: String,
  battery: String,
  dollars: Number,
})
const solarModules = table('modules', { weight: Number, name: String, watts: Number })
/** Extra work and equipment that dealers add to the price. */
const adders = table('adders', { weight: Number, name: String, dollars: Number })
const lenders = table('lenders', { weight: Number, name: String })
const roofs = table('roofs', {
  landscape: String,
  types: (types) =>
    list(types).map((type) => ({ weight: Number.parseInt(type), roof: type.replace(/^\d+ /, '') })),
})

export type SolarSystem = ReturnType<typeof system>

/**
 * Returns the equipment of a system, with either one microinverter per module or one string inverter. Modules
 * of 405 and 415 W come in pairs, so that kilowatts have two decimals.
 */
export function system(random: Random, { modulesMin, modulesMax, batteries, landscape }: Place) {
  const module = random.weighted(solarModules)
  const drawn = (random.next() + random.next()) / 2
  const count = modulesMin + Math.round(drawn * (modulesMax - modulesMin))
  const modules = module.watts % 10 === 0 ? count : count + (count % 2)
  const watts = modules * module.watts
  const hasBattery = random.chance(batteries)
  const make = random.weighted(makes.map((one) => ({ ...one, weight: hasBattery ? one.with : one.without })))
  const batteryCount = hasBattery ? random.pick([1, 1, 1, 2]) : 0
  return {
    watts,
    batteryDollars: batteryCount * make.dollars,
    fields: {
      systemSize: (watts / 1000).toFixed(2),
      moduleType: module.name,
      numberOfModules: String(modules),
      inverterType: make.inverter,
      numberOfInverters: String(make.inverter.startsWith('Enphase') ? modules : 1),
      battery: hasBattery ? make.battery : null,
      numberOfBatteries: String(batteryCount),
      roofType: random.weighted(roofs.find((roof) => roof.landscape === landscape)!.types).roof,
    },
  }
}

export type Price = ReturnType<typeof price>

/**
 * Returns the price of a system, in whole cents per watt so that sums are exact. `otherAdders` are adders
 * that could still be added.
 */
export function price(
  random: Random,
  { centsPerWatt }: Place,
  { watts, batteryDollars, fields }: SolarSystem,
) {
  const base = centsPerWatt + 5 * (random.int(-3, 5) + random.int(-1, 5))
  const chosen = new Set<(typeof adders)[number]>()
  for (let wanted = random.pick([0, 0, 1, 1, 1, 2, 2, 3]); wanted > 0; wanted--)
    chosen.add(random.weighted(adders))
  const adderDollars = [...chosen].reduce((total, { dollars }) => total + dollars, batteryDollars)
  const extra = Math.round((adderDollars * 100) / watts)
  // If there is no lender, the homeowner pays in cash.
  const lender = random.chance(0.83) ? random.weighted(lenders).name : null
  const amountCents = (base + extra) * watts
  // A down payment is a round amount of about a tenth of the price.
  const downCents = random.chance(0.14) ? Math.round(amountCents / 1_000_000) * 100_000 : 0
  return {
    otherAdders: adders.filter((adder) => !chosen.has(adder)).map(({ name }) => name),
    fields: {
      amount: amountCents / 100,
      totalPpw: (base + extra) / 100,
      basePpw: base / 100,
      adderPpw: (extra / 100).toFixed(2),
      adderCost: (extra * watts) / 100,
      adders: [fields.battery ?? [], [...chosen].map(({ name }) => name)].flat().join(', ') || null,
      lender,
      loanAmount: lender === null ? null : ((amountCents - downCents) / 100).toFixed(2),
    },
  }
}
