import { Random, seedOf } from '#db/demo/random.ts'

export type Landscape = 'desert' | 'california' | 'mountain' | 'south'

const words = (text: string) =>
  text
    .split(/[,\n]/)
    .map((word) => word.trim())
    .filter((word) => word !== '')

/** Street names, by landscape and everywhere. Spanish names include the street type. */
const streets: Record<Landscape, readonly string[]> = {
  desert:
    words(`Palo Verde, Ocotillo, Saguaro, Mesquite, Desert Willow, Ironwood, Agave, Cholla, Sonora, Coronado, Monte Vista, Mariposa,
    Rio Vista, Quail Run, Roadrunner, Sagebrush, Yucca, Juniper, San Miguel, Palm, Camelback View, Calle Del Sol, Camino Real, Via Linda`),
  california:
    words(`Sycamore, Eucalyptus, Avocado, Citrus, Olive, Orange Grove, Manzanita, Alameda, Miramonte, Valencia, Sierra Vista, Redwood,
    Poppy, Lemon Grove, Monterey, Santa Rosa, Fairmount, Hacienda, Walnut, Almond, Vineyard, Via Del Norte, Camino Alto, Paseo Del Rey`),
  mountain:
    words(`Aspen, Columbine, Blue Spruce, Ponderosa, Elk Ridge, Juniper, Cottonwood, Bear Creek, Wasatch, Pinyon, Canyon View, Larkspur,
    Foothill, Granite, Silver Creek, Wildflower, Summit, Timberline, Meadowlark, Fox Hollow, Clear Creek, Alpine`),
  south:
    words(`Live Oak, Magnolia, Pecan, Dogwood, Bluebonnet, Cypress, Hickory, Azalea, Palmetto, Willow Bend, Crape Myrtle, Sweetgum, Cedar Creek,
    Mockingbird, Heron, Stonewall, Riverbend, Pine Hollow, Longleaf, Camellia, Savannah, Wisteria, Brookside, Ashford`),
}

const everywhere =
  words(`Maple, Oak, Elm, Cedar, Washington, Lincoln, Jefferson, Madison, Park, Highland, Sunset, Hillcrest, Lakeview, Spring, Orchard, Franklin,
  Garfield, Monroe, Cherry, Ridge, Church, College, Roosevelt, Harrison`)

const kinds = words('St, St, St, Ave, Ave, Ave, Dr, Dr, Dr, Ln, Ln, Ct, Way, Pl, Rd, Cir, Blvd')

/** City quarters used in street addresses. */
const quarters: Record<string, { share: number; names: readonly string[] }> = {
  AZ: { share: 1, names: ['N', 'S', 'E', 'W'] },
  UT: { share: 1, names: ['N', 'S', 'E', 'W'] },
  FL: { share: 0.3, names: ['NW', 'SW', 'NE', 'SE'] },
  NC: { share: 0.1, names: ['N', 'S', 'E', 'W'] },
}

/** House number and street, in Utah often by the grid (`1468 S 900 E`). */
export function streetAddress(random: Random, state: string, landscape: Landscape): string {
  const number =
    random.int(11, random.chance(0.3) ? 199 : 989) * (random.chance(0.7) ? 10 : 1) + random.int(0, 9)
  if (state === 'UT' && random.chance(0.5))
    return `${number} ${random.chance(0.5) ? `S ${random.int(1, 23) * 100} E` : `E ${random.int(1, 90) * 100} S`}`
  const quarter = quarters[state]
  const prefix = quarter && random.chance(quarter.share) ? `${random.pick(quarter.names)} ` : ''
  const name = random.pick(random.chance(0.62) ? streets[landscape] : everywhere)
  return `${number} ${prefix}${name}${/^(Calle|Camino|Via|Paseo) /.test(name) ? '' : ` ${random.pick(kinds)}`}`
}

/** Name parts of planned communities: one word from each list. */
const communities: Record<Landscape, readonly [string[], string[]]> = {
  desert: [
    words(
      'Sonoran, Mesquite, Palo Verde, Copper, Ocotillo, Saguaro, Encanto, Sunrise, Coyote, Desert Willow',
    ),
    words('Ranch, Mesa, Trails, Estates, Village, Vista, Canyon, Groves'),
  ],
  california: [
    words('Miramonte, Sycamore, Olive, Mission, Eagle, Alameda, Citrus, Sierra, Laurel, Poppy'),
    words('Ranch, Canyon, Hills, Ridge, Estates, Park, Glen, Terrace'),
  ],
  mountain: [
    words('Aspen, Elk, Foothill, Bear Creek, Granite, Wildflower, Silver, Timber, Columbine, Juniper'),
    words('Ridge, Meadows, Village, Farms, Pointe, Commons, Hollow, Crossing'),
  ],
  south: [
    words('Magnolia, Cypress, Stone, Pecan, Heron, Willow, Live Oak, Legacy, Bluebonnet, Palmetto'),
    words('Lakes, Trace, Grove, Bend, Preserve, Park, Creek, Landing'),
  ],
}

const associations = words(
  'Homeowners Association, Community Association, Homeowners Association, Master Association, Property Owners Association',
)
const mailboxes = words('arc, board, manager, architectural, office, arc')

/** Returns a homeowners' association: full name and e-mail, always the same for one community. */
export function homeownersAssociation(random: Random, landscape: Landscape): { name: string; email: string } {
  const [firsts, seconds] = communities[landscape]
  const community = `${random.pick(firsts)} ${random.pick(seconds)}`
  const own = new Random(seedOf(community))
  return {
    name: `${community} ${own.pick(associations)}`,
    email: `${own.pick(mailboxes)}@${community.toLowerCase().replaceAll(' ', '')}.example`,
  }
}
