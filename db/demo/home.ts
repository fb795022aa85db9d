import { Random, seedOf } from '#db/demo/random.ts'
import { list, table } from '#db/demo/tables.ts'
import type { Zone } from '#server/values/zone.ts'

/**
 * States. `hoas` and `batteries` are fractions of homes. Batteries sell well in California because of net
 * billing and in Nevada because of evening rates.
 */
const states = table('states', {
  state: String,
  weight: Number,
  zone: (name) => `America/${name}` as Zone,
  landscape: String,
  hoas: Number,
  batteries: Number,
  modulesMin: Number,
  modulesMax: Number,
  centsPerWatt: Number,
})

/** All cities, ordered by size within each state. For a city on the water, the center is slightly inland. */
export const cities = table('cities', {
  state: String,
  city: String,
  latitude: Number,
  longitude: Number,
  areaCode: String,
  utilities: list,
  zipCodes: list,
})

/** The location of a home, and how homes are built and financed there. */
export type Place = ReturnType<typeof place>

/** Returns a home in one of the given states or, by default, in any state. */
export function place(random: Random, within: readonly string[] = states.map(({ state }) => state)) {
  const facts = random.weighted(states.filter(({ state }) => within.includes(state)))
  const { state, landscape } = facts
  const city = random.pickEarly(cities.filter((one) => one.state === state))
  return {
    ...facts,
    city,
    fields: {
      state,
      city: city.city,
      streetAddress: streetAddress(random, landscape),
      zipCode: random.pick(city.zipCodes),
      coordinates: coordinates(random, city),
      utilityName: random.pickEarly(city.utilities),
    },
  }
}

const kmPerDegree = 111.2

/** Returns `latitude,longitude` in degrees, accurate to about a meter, within 4 km of the city's center. */
function coordinates(random: Random, { latitude, longitude }: (typeof cities)[number]): string {
  const distanceKm = 4 * Math.sqrt(random.next())
  const bearing = 2 * Math.PI * random.next()
  const north = (distanceKm * Math.cos(bearing)) / kmPerDegree
  const east = (distanceKm * Math.sin(bearing)) / (kmPerDegree * Math.cos((latitude * Math.PI) / 180))
  return `${(latitude + north).toFixed(5)},${(longitude + east).toFixed(5)}`
}

/** Returns a fictional phone number in the area code (555-0100 to 555-0199). */
export const phone = (random: Random, { city }: Place) =>
  `(${city.areaCode}) 555-01${String(random.int(0, 99)).padStart(2, '0')}`

/** Names of streets and communities, by landscape. */
const names = new Map(
  table('landscapes', { where: String, streets: list, communities: (cell = '') => list(cell) }).map(
    (names) => [names.where, names],
  ),
)
const streetTypes = ['St', 'St', 'Ave', 'Ave', 'Dr', 'Dr', 'Ln', 'Ct', 'Way', 'Rd', 'Blvd']

function streetAddress(random: Random, landscape: string): string {
  const { streets } = names.get(random.chance(0.62) ? landscape : 'everywhere')!
  return `${random.int(100, 9899)} ${random.pick(streets)} ${random.pick(streetTypes)}`
}

/** Returns a homeowners' association, which has the same e-mail address in all its deals. */
export function homeownersAssociation(random: Random, home: Place) {
  const { streets, communities } = names.get(home.landscape)!
  const community = `${random.pick(streets)} ${random.pick(communities)}`
  const own = new Random(seedOf(community))
  return {
    hoaName: `${community} ${own.pick(['Homeowners', 'Community', 'Master'])} Association`,
    hoaEmail: `${own.pick(['board', 'manager', 'office'])}@${community.toLowerCase().replaceAll(' ', '')}.example`,
    hoaNumber: phone(random, home),
  }
}
