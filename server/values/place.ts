import { stateCodeOf } from './states.ts'

/** The fields in a joint column; text of another form is read as the first. */
export const placeFields = {
  fullAddress: ['streetAddress', 'city', 'state', 'zipCode'],
  cityStateZip: ['city', 'state', 'zipCode'],
}

/** Column fields with several fields of a deal, or a part of one. */
export const jointFields = new Set([...Object.keys(placeFields), 'latitude', 'longitude'])

const country = /[\s,]{1,3}(?:USA?|U\.S\.A?\.?|United States(?: of America)?|Canada)$/i
const zip = /[\s,]{1,3}(\d{5}(?:-\d{4})?|[A-Z]\d[A-Z] ?\d[A-Z]\d)$/

/** Splits a text at an index, dropping blanks and commas there. */
const splitAt = (text: string, at: number) =>
  at < 0 ? null : [text.slice(0, at).replace(/[\s,/]{1,3}$/, ''), text.slice(at + 1).trim()]

const lastLine = (text: string) => splitAt(text, Math.max(text.lastIndexOf(','), text.lastIndexOf('\n')))

/** Splits `Mesa, AZ 85203`; null if a text is not of this form. */
function cityStateZip(text: string): Record<string, string> | null {
  const local = text.trim().replace(country, '')
  const zipCode = zip.exec(local)?.[1]
  const place = zipCode === undefined ? local : local.replace(zip, '')
  const parts = [lastLine(place), /[\s,/][A-Z]{2}$/.test(place) ? splitAt(place, place.length - 3) : null]
  const [city = '', state = ''] = parts.find((part) => part !== null && stateCodeOf(part[1]!) !== null) ?? []
  if (city === '' || /\d/.test(state)) return null
  return { city, state, ...(zipCode !== undefined && { zipCode }) }
}

const unit =
  /^(?:#|(?:apartment|apt|building|bldg|floor|fl|lot|room|rm|space|spc|suite|ste|trailer|trlr|unit)\b)|\d/i
const suffix = String.raw`(?:street|avenue|ave|road|rd|drive|dr|lane|ln|boulevard|blvd|court|ct|circle|cir|place|pl|way|parkway|pkwy|terrace|ter|trail|trl|highway|hwy|loop|path|square|sq|cove|cv|run|pass)\.?`
/** A street with its suffix, direction and unit, and a city after it: `12 Oak St NW Apt 4 Mesa`. */
const streetAndCity = new RegExp(
  String.raw`^(\d\S* \S.*? (?:st\.?|${suffix})(?: ${suffix})*(?: [NSEW]{1,2})?(?: (?:#|apt|unit|ste|suite|lot|bldg)\.? ?\w{1,6})?) (\D{2,40})$`,
  'i',
)

/** Splits `12 Oak St, Mesa, AZ 85203`, also without the commas; null if a text is not of this form. */
function fullAddress(text: string): Record<string, string> | null {
  const place = cityStateZip(text)
  if (place === null) return null
  const [, street, town] = streetAndCity.exec(place['city']!) ?? []
  const [streetAddress = '', city = ''] = lastLine(place['city']!) ?? [street, town]
  if (city === '' || !/\d/.test(streetAddress)) return null
  if (!unit.test(city)) return { ...place, streetAddress, city }
  // `12 Oak St, Building B, CA` names no city.
  const { city: whole, ...rest } = place
  return { ...rest, streetAddress: whole! }
}

export const splitPlace = { cityStateZip, fullAddress }
