import { Random, seedOf } from '#db/demo/random.ts'
import { list, rows } from '#db/demo/tables.ts'
import type { Zone } from '#server/values/zone.ts'

/** Where a home is, and how homes are built and financed there. */
export interface Place {
  state: string
  zone: Zone
  landscape: string
  /** Share of homes with a homeowners' association. */
  hoas: number
  /** Share of systems sold with a battery: California's net billing and Nevada's evening rates sell them. */
  batteries: number
  /** Usual number of modules on a roof, from and to. */
  modules: readonly [number, number]
  /** The dealers' starting price in cents per watt. */
  centsPerWatt: number
  city: City
  streetAddress: string
  zipCode: string
  /** `latitude,longitude` in degrees to about a meter, within 4 km of the city's center. */
  coordinates: string
  utilityName: string
}

interface City {
  city: string
  state: string
  /** Degrees; the center of its homes, which for a city on the water is slightly inland. */
  latitude: number
  longitude: number
  areaCode: string
  utilities: readonly string[]
  zipCodes: readonly string[]
}

const states = rows('states').map(
  ([state = '', weight, zone, landscape = '', hoas, batteries, from, to, cents]) => ({
    state,
    weight: Number(weight),
    zone: `America/${zone}` as Zone,
    landscape,
    hoas: Number(hoas),
    batteries: Number(batteries),
    modules: [Number(from), Number(to)] as const,
    centsPerWatt: Number(cents),
  }),
)

/** All cities, larger ones of a state first. */
export const cities = rows('cities').map(
  ([state = '', city = '', latitude, longitude, areaCode = '', utilities, zips]): City => ({
    city,
    state,
    latitude: Number(latitude),
    longitude: Number(longitude),
    areaCode,
    utilities: list(utilities),
    zipCodes: list(zips),
  }),
)

/** Returns a home in one of the states, or anywhere. */
export function place(random: Random, within: readonly string[] = states.map(({ state }) => state)): Place {
  const { weight: _, ...facts } = random.weighted(states.filter(({ state }) => within.includes(state)))
  const city = random.pickEarly(cities.filter(({ state }) => state === facts.state))
  return {
    ...facts,
    city,
    streetAddress: streetAddress(random, facts.landscape),
    zipCode: random.pick(city.zipCodes),
    coordinates: coordinates(random, city),
    utilityName: random.pickEarly(city.utilities),
  }
}

const kmPerDegree = 111.2

function coordinates(random: Random, { latitude, longitude }: City): string {
  const distanceKm = 4 * Math.sqrt(random.next())
  const bearing = 2 * Math.PI * random.next()
  const north = (distanceKm * Math.cos(bearing)) / kmPerDegree
  const east = (distanceKm * Math.sin(bearing)) / (kmPerDegree * Math.cos((latitude * Math.PI) / 180))
  return `${(latitude + north).toFixed(5)},${(longitude + east).toFixed(5)}`
}

/** Returns a fictional phone number in the area code (555-0100 to 555-0199). */
export function phone(random: Random, { areaCode }: City): string {
  return `(${areaCode}) 555-01${String(random.int(0, 99)).padStart(2, '0')}`
}

/** Names of streets and communities by landscape. */
const names = new Map(rows('landscapes').map(([where = '', ...columns]) => [where, columns.map(list)]))
const streetTypes = ['St', 'St', 'Ave', 'Ave', 'Dr', 'Dr', 'Ln', 'Ct', 'Way', 'Rd', 'Blvd']

function streetAddress(random: Random, landscape: string): string {
  const [streets] = names.get(random.chance(0.62) ? landscape : 'everywhere')!
  return `${random.int(100, 9899)} ${random.pick(streets!)} ${random.pick(streetTypes)}`
}

/** Returns a homeowners' association: full name and e-mail, always the same for one community. */
export function homeownersAssociation(random: Random, landscape: string): { name: string; email: string } {
  const [streets, communities] = names.get(landscape)!
  const community = `${random.pick(streets!)} ${random.pick(communities!)}`
  const own = new Random(seedOf(community))
  return {
    name: `${community} ${own.pick(['Homeowners', 'Community', 'Master'])} Association`,
    email: `${own.pick(['board', 'manager', 'office'])}@${community.toLowerCase().replaceAll(' ', '')}.example`,
  }
}
