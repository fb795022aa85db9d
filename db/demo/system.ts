import type { Place } from '#db/demo/places.ts'
import type { Random } from '#db/demo/random.ts'

/** Solar modules; names include the wattage. */
const modules = [
  { weight: 20, name: 'Qcells Q.PEAK DUO BLK ML-G10+ 400', watts: 400 },
  { weight: 22, name: 'Qcells Q.PEAK DUO BLK ML-G10+ 410', watts: 410 },
  { weight: 10, name: 'Qcells Q.TRON BLK M-G2+ 430', watts: 430 },
  { weight: 8, name: 'REC Alpha Pure REC405AA', watts: 405 },
  { weight: 11, name: 'REC Alpha Pure-R REC430AA', watts: 430 },
  { weight: 13, name: 'Silfab SIL-430 QD', watts: 430 },
  { weight: 10, name: 'Jinko Solar Tiger Neo JKM415N-54HL4-B', watts: 415 },
  { weight: 6, name: 'Canadian Solar HiKu6 CS6R-410MS', watts: 410 },
]

/** Inverter makes, with their shares of systems without and with a battery. */
const makes = [
  { make: 'enphase', without: 58, with: 30 },
  { make: 'solaredge', without: 27, with: 14 },
  { make: 'tesla', without: 15, with: 56 },
] as const
type Make = (typeof makes)[number]['make']

const solarEdgeSizes = [
  { upToWatts: 9_300, name: 'SE6000H' },
  { upToWatts: 11_800, name: 'SE7600H' },
  { upToWatts: 15_500, name: 'SE10000H' },
  { upToWatts: Infinity, name: 'SE11400H' },
]

interface Storage {
  battery: string
  /** Dollars each, installed. */
  price: number
  counts: readonly number[]
}

const storage: Record<Make, Storage> = {
  enphase: { battery: 'Enphase IQ Battery 5P', price: 6_400, counts: [2, 2, 3, 4] },
  solaredge: { battery: 'SolarEdge Home Battery 400V', price: 12_200, counts: [1, 1, 1, 2] },
  tesla: { battery: 'Tesla Powerwall 3', price: 13_600, counts: [1, 1, 1, 2] },
}

export interface SolarSystem {
  moduleType: string
  modules: number
  watts: number
  inverterType: string
  inverters: number
  battery: Storage['battery'] | null
  batteries: number
  batteryPrice: number
  roofType: string
}

/**
 * Returns the equipment of a system. Modules of 405 and 415 W come in pairs, so that kilowatts have
 * two decimals.
 */
export function system(random: Random, { modules: [from, to], batteries, landscape }: Place): SolarSystem {
  const module = random.weighted(modules)
  const count = from + Math.round(((random.next() + random.next()) / 2) * (to - from))
  const even = module.watts % 10 === 0 ? count : count + (count % 2)
  const watts = even * module.watts
  const hasBattery = random.chance(batteries)
  const { make } = random.weighted(
    makes.map((one) => ({ make: one.make, weight: hasBattery ? one.with : one.without })),
  )
  const units = hasBattery ? random.pick(storage[make].counts) : 0
  return {
    moduleType: module.name,
    modules: even,
    watts,
    ...inverter(random, make, module.watts, even, units),
    battery: hasBattery ? storage[make].battery : null,
    batteries: units,
    batteryPrice: storage[make].price,
    roofType: random.weighted(roofs[landscape]).roof,
  }
}

function microinverters(moduleWatts: number): [string, string] {
  if (moduleWatts >= 430) return ['IQ8A', 'IQ8HC']
  return moduleWatts > 405 ? ['IQ8M', 'IQ8A'] : ['IQ8+', 'IQ8M']
}

/**
 * Returns a micro-inverter for each module, or string inverters for up to one and a half times their power; a
 * Powerwall 3 includes its own.
 */
function inverter(
  random: Random,
  make: Make,
  moduleWatts: number,
  modulesCount: number,
  batteries: number,
): { inverterType: string; inverters: number } {
  const watts = moduleWatts * modulesCount
  if (make === 'enphase') {
    const type = random.pick(microinverters(moduleWatts))
    return { inverterType: `Enphase ${type}`, inverters: modulesCount }
  }
  if (make === 'tesla' && batteries > 0)
    return { inverterType: 'Tesla Powerwall 3 (integrated)', inverters: batteries }
  if (make === 'tesla')
    return { inverterType: 'Tesla Solar Inverter 7.6 kW', inverters: Math.ceil(watts / 10_600) }
  const size = solarEdgeSizes.find(({ upToWatts }) => watts <= upToWatts)
  return { inverterType: `SolarEdge Home ${batteries > 0 ? 'Hub' : 'Wave'} ${size?.name}`, inverters: 1 }
}

const shingle = 'Composition shingle'

const roofs: Record<Place['landscape'], { weight: number; roof: string }[]> = {
  desert: [
    { weight: 52, roof: 'Concrete tile' },
    { weight: 28, roof: shingle },
    { weight: 14, roof: 'Flat (foam)' },
    { weight: 6, roof: 'Clay tile' },
  ],
  california: [
    { weight: 55, roof: shingle },
    { weight: 30, roof: 'Concrete tile' },
    { weight: 10, roof: 'Clay tile' },
    { weight: 5, roof: 'Flat (torch-down)' },
  ],
  mountain: [
    { weight: 88, roof: shingle },
    { weight: 9, roof: 'Standing seam metal' },
    { weight: 3, roof: 'Concrete tile' },
  ],
  south: [
    { weight: 80, roof: shingle },
    { weight: 11, roof: 'Standing seam metal' },
    { weight: 7, roof: 'Concrete tile' },
    { weight: 2, roof: 'Corrugated metal' },
  ],
}
