import type { ClockZone } from '#db/demo/calendar.ts'
import type { Random } from '#db/demo/random.ts'
import { streetAddress, type Landscape } from '#db/demo/streets.ts'

export type State = 'AZ' | 'CA' | 'NV' | 'NM' | 'UT' | 'CO' | 'TX' | 'FL' | 'NC'

/** Properties of a state: sales volume, time zone, landscape, and how homes are built and financed. */
interface StateFacts {
  weight: number
  zone: ClockZone
  landscape: Landscape
  /** Share of homes with a homeowners' association. */
  hoas: number
  /** Share of systems sold with a battery: California's net billing and Nevada's evening rates sell them. */
  batteries: number
  /** Usual number of modules on a roof, from and to. */
  modules: readonly [number, number]
  /** The dealers' starting price in cents per watt. */
  centsPerWatt: number
}

const states: Record<State, StateFacts> = {
  AZ: {
    weight: 26,
    zone: 'arizona',
    landscape: 'desert',
    hoas: 0.34,
    batteries: 0.34,
    modules: [16, 36],
    centsPerWatt: 295,
  },
  CA: {
    weight: 24,
    zone: 'pacific',
    landscape: 'california',
    hoas: 0.18,
    batteries: 0.76,
    modules: [12, 28],
    centsPerWatt: 335,
  },
  NV: {
    weight: 14,
    zone: 'pacific',
    landscape: 'desert',
    hoas: 0.42,
    batteries: 0.38,
    modules: [16, 36],
    centsPerWatt: 285,
  },
  NM: {
    weight: 9,
    zone: 'mountain',
    landscape: 'desert',
    hoas: 0.12,
    batteries: 0.16,
    modules: [14, 28],
    centsPerWatt: 310,
  },
  UT: {
    weight: 16,
    zone: 'mountain',
    landscape: 'mountain',
    hoas: 0.14,
    batteries: 0.28,
    modules: [16, 34],
    centsPerWatt: 290,
  },
  CO: {
    weight: 18,
    zone: 'mountain',
    landscape: 'mountain',
    hoas: 0.24,
    batteries: 0.17,
    modules: [14, 30],
    centsPerWatt: 310,
  },
  TX: {
    weight: 24,
    zone: 'central',
    landscape: 'south',
    hoas: 0.4,
    batteries: 0.31,
    modules: [20, 42],
    centsPerWatt: 265,
  },
  FL: {
    weight: 22,
    zone: 'eastern',
    landscape: 'south',
    hoas: 0.36,
    batteries: 0.27,
    modules: [18, 42],
    centsPerWatt: 260,
  },
  NC: {
    weight: 11,
    zone: 'eastern',
    landscape: 'south',
    hoas: 0.26,
    batteries: 0.24,
    modules: [16, 34],
    centsPerWatt: 285,
  },
}

export interface City {
  city: string
  state: State
  /** Degrees; the center of its homes, which for a city on the water is slightly inland. */
  latitude: number
  longitude: number
  areaCode: string
  utilities: readonly string[]
  zipCodes: readonly string[]
}

/**
 * One line per city, larger cities of a state first: name, latitude, longitude, area code, utilities, zip
 * codes near the center.
 */
const table: Record<State, string> = {
  AZ: `
    Phoenix        33.4484 -112.0740 602  Arizona Public Service, Salt River Project  85003 85004 85006 85007 85009 85034
    Tucson         32.2226 -110.9447 520  Tucson Electric Power  85701 85705 85711 85713 85716 85719
    Mesa           33.4152 -111.8315 480  Salt River Project  85201 85203 85204 85210
    Chandler       33.3062 -111.8413 480  Salt River Project  85224 85225 85286
    Gilbert        33.3528 -111.7890 480  Salt River Project  85233 85234 85296
    Scottsdale     33.4942 -111.9261 480  Arizona Public Service, Salt River Project  85250 85251 85257
    Glendale       33.5387 -112.1860 623  Salt River Project, Arizona Public Service  85301 85302 85303
    Peoria         33.5806 -112.2374 623  Arizona Public Service, Salt River Project  85345 85381
    Surprise       33.6292 -112.3680 623  Arizona Public Service  85374 85378 85379
    Casa Grande    32.8795 -111.7574 520  Arizona Public Service  85122 85193`,
  CA: `
    San Diego      32.7420 -117.1300 619  San Diego Gas & Electric  92102 92104 92105 92116
    Los Angeles    34.0522 -118.2437 323  Los Angeles Department of Water and Power  90026 90031 90033 90057
    Riverside      33.9533 -117.3962 951  Riverside Public Utilities  92501 92504 92506
    Bakersfield    35.3733 -119.0187 661  Pacific Gas & Electric  93301 93304 93305
    Fresno         36.7578 -119.7871 559  Pacific Gas & Electric  93701 93702 93703 93704 93728
    Sacramento     38.5616 -121.4944 916  Sacramento Municipal Utility District  95816 95817 95818 95819 95820
    San Jose       37.3382 -121.8863 408  Pacific Gas & Electric  95110 95112 95116 95126
    Escondido      33.1192 -117.0864 760  San Diego Gas & Electric  92025 92026 92027
    Chula Vista    32.6301 -117.0642 619  San Diego Gas & Electric  91910 91911
    El Cajon       32.7948 -116.9625 619  San Diego Gas & Electric  92019 92020 92021
    San Bernardino 34.1083 -117.2898 909  Southern California Edison  92404 92405 92410 92411
    Anaheim        33.8366 -117.9143 714  Anaheim Public Utilities  92801 92802 92805 92806
    Visalia        36.3302 -119.2921 559  Southern California Edison  93277 93291 93292
    Stockton       37.9677 -121.2908 209  Pacific Gas & Electric  95203 95204 95205 95207
    Modesto        37.6491 -120.9969 209  Modesto Irrigation District  95350 95351 95354`,
  NV: `
    Las Vegas       36.1716 -115.1391 702  NV Energy  89101 89104 89106
    Henderson       36.0395 -114.9817 702  NV Energy  89002 89015
    North Las Vegas 36.2089 -115.1375 702  NV Energy  89030 89032
    Reno            39.5296 -119.8138 775  NV Energy  89502 89503 89509 89512
    Sparks          39.5349 -119.7527 775  NV Energy  89431 89434`,
  NM: `
    Albuquerque 35.0844 -106.6504 505  PNM  87102 87104 87106
    Las Cruces  32.3199 -106.7637 575  El Paso Electric  88001 88005 88007
    Rio Rancho  35.2628 -106.6630 505  PNM  87124
    Santa Fe    35.6670 -105.9578 505  PNM  87501 87507`,
  UT: `
    Salt Lake City 40.7508 -111.8810 801  Rocky Mountain Power  84102 84103 84105 84115
    West Jordan    40.6097 -111.9391 801  Rocky Mountain Power  84084 84088
    Sandy          40.5725 -111.8599 801  Rocky Mountain Power  84070 84093 84094
    Ogden          41.2230 -111.9638 801  Rocky Mountain Power  84401 84403 84404
    Layton         41.0602 -111.9711 801  Rocky Mountain Power  84040 84041
    Orem           40.2969 -111.6946 801  Rocky Mountain Power  84057 84058 84097
    St. George     37.0965 -113.5684 435  St. George Energy Services  84770 84790`,
  CO: `
    Denver           39.7392 -104.9903 303  Xcel Energy  80204 80205 80206 80209 80211
    Aurora           39.7294 -104.8319 303  Xcel Energy  80010 80011 80012
    Colorado Springs 38.8339 -104.8214 719  Colorado Springs Utilities  80903 80904 80905 80907 80909
    Arvada           39.8028 -105.0875 303  Xcel Energy  80002 80003 80004
    Fort Collins     40.5853 -105.0844 970  Fort Collins Utilities  80521 80524 80526
    Pueblo           38.2544 -104.6091 719  Black Hills Energy  81001 81003 81004`,
  TX: `
    San Antonio 29.4241  -98.4936 210  CPS Energy  78204 78207 78210 78212
    Houston     29.7604  -95.3698 713  CenterPoint Energy  77004 77006 77007 77009
    Austin      30.2672  -97.7431 512  Austin Energy  78702 78703 78704 78722
    Fort Worth  32.7455  -97.3308 817  Oncor  76104 76107 76110 76111
    Dallas      32.7767  -96.7970 214  Oncor  75203 75204 75208 75215 75219
    El Paso     31.7900 -106.4500 915  El Paso Electric  79903 79905 79930
    Round Rock  30.5083  -97.6789 512  Oncor  78664 78665 78681
    Arlington   32.7357  -97.1081 817  Oncor  76010 76012 76013
    Lubbock     33.5679 -101.8752 806  Lubbock Power & Light  79401 79410 79411 79412 79413
    Plano       33.0198  -96.6989 972  Oncor  75023 75074 75075
    Denton      33.2148  -97.1331 940  Denton Municipal Electric  76201 76205 76209`,
  FL: `
    Tampa           27.9750 -82.4600 813  Tampa Electric  33602 33603 33604 33605 33607
    Orlando         28.5384 -81.3789 407  Orlando Utilities Commission  32803 32804 32805 32806
    Miami           25.7760 -80.2300 305  Florida Power & Light  33125 33135 33142 33145
    Jacksonville    30.3422 -81.6657 904  JEA  32204 32206 32209
    Port St. Lucie  27.2730 -80.3582 772  Florida Power & Light  34953 34983 34984
    Hialeah         25.8576 -80.2981 305  Florida Power & Light  33010 33012 33013
    Kissimmee       28.3050 -81.4176 407  Kissimmee Utility Authority  34741 34744
    Lakeland        28.0395 -81.9498 863  Lakeland Electric  33801 33803 33805
    Fort Lauderdale 26.1224 -80.1700 954  Florida Power & Light  33311 33312
    Ocala           29.1872 -82.1301 352  Ocala Electric Utility  34470 34471
    Gainesville     29.6516 -82.3248 352  Gainesville Regional Utilities  32601 32605 32609`,
  NC: `
    Charlotte     35.2271 -80.8431 704  Duke Energy Carolinas  28203 28204 28205 28206 28208
    Raleigh       35.7796 -78.6382 919  Duke Energy Progress  27601 27605 27607 27608 27610
    Greensboro    36.0726 -79.7920 336  Duke Energy Carolinas  27401 27403 27408
    Durham        35.9940 -78.8986 919  Duke Energy Carolinas  27701 27704 27707
    Winston-Salem 36.0999 -80.2442 336  Duke Energy Carolinas  27101 27105
    Fayetteville  35.0527 -78.8784 910  Fayetteville Public Works Commission  28301 28305`,
}

const row = /^(\D+)(\d\d\.\d{4}) +(-\d+\.\d{4}) (\d{3}) {2}(.+)$/

function readCity(state: State, line: string): City {
  const [, city = '', latitude, longitude, areaCode = '', rest = ''] = row.exec(line.trim()) ?? []
  const [utilities = '', zipCodes = ''] = rest.split('  ')
  return {
    city: city.trim(),
    state,
    latitude: Number(latitude),
    longitude: Number(longitude),
    areaCode,
    utilities: utilities.split(', '),
    zipCodes: zipCodes.split(' '),
  }
}

export const allStates = Object.keys(states) as State[]

export const cities: readonly City[] = allStates.flatMap((state) =>
  table[state]
    .trim()
    .split('\n')
    .map((line) => readCity(state, line)),
)

const citiesOf = new Map(allStates.map((state) => [state, cities.filter((city) => city.state === state)]))

export interface Place extends StateFacts {
  city: City
  streetAddress: string
  zipCode: string
  /** `latitude,longitude` in degrees to about a meter, within 4 km of the city's center. */
  coordinates: string
  utilityName: string
}

/** Returns a home in one of the states. */
export function place(random: Random, within: readonly State[]): Place {
  const facts = random.weighted(within.map((state) => ({ ...states[state], state })))
  const city = random.pickEarly(citiesOf.get(facts.state) ?? cities)
  // El Paso uses mountain time, the other Texas cities here central.
  const zone = city.city === 'El Paso' ? 'mountain' : facts.zone
  return {
    ...facts,
    zone,
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
export function phone(random: Random, city: City): string {
  return `(${city.areaCode}) 555-01${String(random.int(0, 99)).padStart(2, '0')}`
}
