import type { ClockZone } from '#db/demo/calendar.ts'
import { Random, seedOf } from '#db/demo/random.ts'
import { list, rows } from '#db/demo/tables.ts'

/** Where a home is, and how homes are built and financed there. */
export interface Place {
  state: string
  zone: ClockZone
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
    zone: zone as ClockZone,
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
const citiesOf = Map.groupBy(cities, ({ state }) => state)

/** Returns a home in one of the states, or anywhere. */
export function place(random: Random, within: readonly string[] = states.map(({ state }) => state)): Place {
  const { weight: _, ...facts } = random.weighted(
    within.map((name) => states.find(({ state }) => state === name)!),
  )
  const city = random.pickEarly(citiesOf.get(facts.state)!)
  return {
    ...facts,
    // El Paso uses mountain time, the other Texas cities here central.
    zone: city.city === 'El Paso' ? 'mountain' : facts.zone,
    city,
    streetAddress: streetAddress(random, facts.state, facts.landscape),
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

/** Street names by landscape and `everywhere`. Spanish ones include the street type. */
const streets = new Map(rows('streets').map(([where = '', names]) => [where, list(names)]))
const streetTypes = list('St, St, St, Ave, Ave, Ave, Dr, Dr, Dr, Ln, Ln, Ct, Way, Pl, Rd, Cir, Blvd')

/** City quarters used in street addresses. */
const quarters: Record<string, { share: number; names: readonly string[] }> = {
  AZ: { share: 1, names: ['N', 'S', 'E', 'W'] },
  UT: { share: 1, names: ['N', 'S', 'E', 'W'] },
  FL: { share: 0.3, names: ['NW', 'SW', 'NE', 'SE'] },
  NC: { share: 0.1, names: ['N', 'S', 'E', 'W'] },
}

/** House number and street, in Utah often by the grid (`1468 S 900 E`). */
function streetAddress(random: Random, state: string, landscape: string): string {
  const number =
    random.int(11, random.chance(0.3) ? 199 : 989) * (random.chance(0.7) ? 10 : 1) + random.int(0, 9)
  if (state === 'UT' && random.chance(0.5))
    return `${number} ${random.chance(0.5) ? `S ${random.int(1, 23) * 100} E` : `E ${random.int(1, 90) * 100} S`}`
  const quarter = quarters[state]
  const prefix = quarter && random.chance(quarter.share) ? `${random.pick(quarter.names)} ` : ''
  const name = random.pick(streets.get(random.chance(0.62) ? landscape : 'everywhere')!)
  return `${number} ${prefix}${name}${/^(Calle|Camino|Via|Paseo) /.test(name) ? '' : ` ${random.pick(streetTypes)}`}`
}

const associations = list(
  'Homeowners Association, Community Association, Homeowners Association, Master Association, Property Owners Association',
)
const mailboxes = list('arc, board, manager, architectural, office, arc')

/** Returns a homeowners' association: full name and e-mail, always the same for one community. */
export function homeownersAssociation(random: Random, landscape: string): { name: string; email: string } {
  const [, firsts, seconds] = rows('communities').find(([of]) => of === landscape)!
  const community = `${random.pick(list(firsts))} ${random.pick(list(seconds))}`
  const own = new Random(seedOf(community))
  return {
    name: `${community} ${own.pick(associations)}`,
    email: `${own.pick(mailboxes)}@${community.toLowerCase().replaceAll(' ', '')}.example`,
  }
}
