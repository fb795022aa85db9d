import { numbersOf } from './point.ts'

const bounds: Record<string, readonly [south: number, north: number, west: number, east: number]> = {
  AL: [30.1, 35.1, -88.6, -84.8],
  AK: [51, 71.6, -180, -129.8],
  AZ: [31.2, 37.1, -114.9, -109],
  AR: [32.9, 36.6, -94.7, -89.6],
  CA: [32.4, 42.1, -124.6, -114],
  CO: [36.9, 41.1, -109.2, -102],
  CT: [40.8, 42.1, -73.8, -71.7],
  DE: [38.4, 39.9, -75.9, -74.9],
  DC: [38.7, 39.1, -77.2, -76.8],
  FL: [24.3, 31.1, -87.7, -79.8],
  GA: [30.3, 35.1, -85.7, -80.7],
  HI: [18.8, 22.4, -160.4, -154.7],
  ID: [41.9, 49.1, -117.4, -111],
  IL: [36.9, 42.6, -91.6, -87],
  IN: [37.7, 41.9, -88.2, -84.7],
  IA: [40.3, 43.6, -96.7, -90.1],
  KS: [36.9, 40.1, -102.2, -94.5],
  KY: [36.4, 39.2, -89.7, -81.9],
  LA: [28.8, 33.1, -94.1, -88.7],
  ME: [42.9, 47.6, -71.2, -66.8],
  MD: [37.8, 39.8, -79.6, -74.9],
  MA: [41.1, 43, -73.6, -69.8],
  MI: [41.6, 48.4, -90.5, -82],
  MN: [43.4, 49.5, -97.4, -89.3],
  MS: [30, 35.1, -91.8, -88],
  MO: [35.9, 40.7, -95.9, -89],
  MT: [44.3, 49.1, -116.2, -103.9],
  NE: [39.9, 43.1, -104.2, -95.2],
  NV: [34.9, 42.1, -120.1, -113.9],
  NH: [42.6, 45.4, -72.7, -70.5],
  NJ: [38.8, 41.5, -75.7, -73.8],
  NM: [31.2, 37.1, -109.2, -102.9],
  NY: [40.4, 45.1, -79.9, -71.7],
  NC: [33.7, 36.7, -84.5, -75.3],
  ND: [45.8, 49.1, -104.2, -96.4],
  OH: [38.3, 42.4, -84.9, -80.4],
  OK: [33.5, 37.1, -103.1, -94.3],
  OR: [41.9, 46.4, -124.8, -116.3],
  PA: [39.6, 42.4, -80.6, -74.6],
  PR: [17.8, 18.6, -68, -65.1],
  RI: [41, 42.1, -72, -71],
  SC: [31.9, 35.3, -83.5, -78.4],
  SD: [42.4, 46, -104.2, -96.3],
  TN: [34.9, 36.8, -90.4, -81.5],
  TX: [25.7, 36.6, -106.8, -93.4],
  UT: [36.9, 42.1, -114.2, -108.9],
  VT: [42.6, 45.1, -73.6, -71.4],
  VA: [36.4, 39.6, -83.8, -75.1],
  WA: [45.4, 49.1, -124.9, -116.8],
  WV: [37.1, 40.8, -82.8, -77.6],
  WI: [42.4, 47.4, -93, -86.7],
  WY: [40.9, 45.1, -111.2, -103.9],
}

/**
 * Names and common abbreviations by USPS or Canada Post code, without spaces, accents, and punctuation.
 * Includes US states, territories, and military addresses, and Canadian provinces and territories.
 */
const namesByCode = `AL:Alabama,Ala AK:Alaska,Alas AZ:Arizona,Ariz AR:Arkansas,Ark CA:California,Calif,Cal CO:Colorado,Colo
  CT:Connecticut,Conn DE:Delaware,Del DC:DistrictofColumbia,WashingtonDC,WashDC FL:Florida,Fla GA:Georgia HI:Hawaii
  ID:Idaho IL:Illinois,Ill IN:Indiana,Ind IA:Iowa KS:Kansas,Kan,Kans KY:Kentucky,Ken LA:Louisiana ME:Maine MD:Maryland
  MA:Massachusetts,Mass MI:Michigan,Mich MN:Minnesota,Minn MS:Mississippi,Miss MO:Missouri MT:Montana,Mont
  NE:Nebraska,Neb,Nebr NV:Nevada,Nev NH:NewHampshire NJ:NewJersey NM:NewMexico,NMex NY:NewYork,NewYorkState
  NC:NorthCarolina,NCar ND:NorthDakota,NDak OH:Ohio OK:Oklahoma,Okla OR:Oregon,Ore,Oreg PA:Pennsylvania,Penn,Penna
  RI:RhodeIsland SC:SouthCarolina,SCar SD:SouthDakota,SDak TN:Tennessee,Tenn TX:Texas,Tex UT:Utah VT:Vermont
  VA:Virginia,Virg WA:Washington,Wash,WashingtonState WV:WestVirginia,WVirginia,WVa WI:Wisconsin,Wis,Wisc WY:Wyoming,Wyo
  AS:AmericanSamoa GU:Guam MP:NorthernMarianaIslands,CommonwealthoftheNorthernMarianaIslands,CNMI PR:PuertoRico
  VI:VirginIslands,USVirginIslands,UnitedStatesVirginIslands,USVI FM:FederatedStatesofMicronesia,Micronesia
  MH:MarshallIslands PW:Palau AA:ArmedForcesAmericas AE:ArmedForcesEurope AP:ArmedForcesPacific
  AB:Alberta,Alta BC:BritishColumbia MB:Manitoba,Man NB:NewBrunswick NL:NewfoundlandandLabrador,Newfoundland,NF
  NS:NovaScotia NT:NorthwestTerritories,NWT NU:Nunavut ON:Ontario,Ont PE:PrinceEdwardIsland,PEI QC:Quebec,Que,PQ
  SK:Saskatchewan,Sask YT:Yukon,YukonTerritory,YK`

const codes = new Map(
  namesByCode.split(/\s+/).flatMap((entry) => {
    const [code, names] = entry.split(':') as [string, string]
    return [code, ...names.split(',')].map((name) => [name.toLowerCase(), code] as const)
  }),
)

const knownCodes = new Set(codes.values())

/** Names of the two countries, which some programs write next to a state: `AZ, USA`, `US-AZ`. */
const countries = new Set(['us', 'usa', 'unitedstates', 'unitedstatesofamerica', 'canada', 'can'])

const textMax = 100

const lettersOf = (text: string) =>
  text
    .replaceAll(/\p{M}/gu, '')
    .normalize('NFKD')
    .replaceAll(/[^A-Za-z]/g, '')
    .toLowerCase()

/**
 * Returns the code of a state, territory, or province in any common spelling, such as `AZ`, `az.`, `Arizona`,
 * `Arizona (AZ)`, `US-AZ`, or `AZ, USA`. Returns null for other text.
 */
export function stateCodeOf(text: string): string | null {
  if (text.length > textMax) return null
  if (knownCodes.has(text)) return text
  const whole = codes.get(lettersOf(text))
  if (whole !== undefined) return whole
  const parts = text.split(/[^\p{L}\p{M}\s.]+/u).map(lettersOf)
  const named = parts.filter((part) => part !== '' && !countries.has(part)).map((part) => codes.get(part))
  // The code for Canada, as in `CA-ON`, is also the code for California.
  const [first, second] = named
  if (named.length === 2 && first === 'CA' && second !== undefined && provinces.has(second)) return second
  return first !== undefined && named.every((code) => code === first) ? first : null
}

const provinces = new Set('AB BC MB NB NL NS NT NU ON PE QC SK YT'.split(' '))

/**
 * Normalizes a state for finding and counting deals: returns its code, or other text without extra spaces.
 */
export const stateForm = (text: string): string => stateCodeOf(text) ?? text.trim().replaceAll(/\s+/g, ' ')

/** Returns true if a string is a state, territory, or province of the United States or Canada. */
export const isState = (text: string): boolean => stateCodeOf(text) !== null

/**
 * Returns true if coordinates such as `33.4484,-112.0740` are outside of a US state, given by its code or
 * name. Returns false if either is unknown.
 */
export function isOutsideState(coordinates: string, state: string): boolean {
  const numbers = numbersOf(coordinates)
  const code = stateCodeOf(state)
  if (numbers === null || code === null || !Object.hasOwn(bounds, code)) return false
  const [southMost, northMost, westMost, eastMost] = bounds[code]!
  const isWithin = (value: number, low: number, high: number) => value >= low && value <= high
  return !isWithin(numbers.latitude, southMost, northMost) || !isWithin(numbers.longitude, westMost, eastMost)
}
