import { stateCodeOf } from './states.ts'

/** The fields in a joint column. Text in any other format is read as the first field. */
export const placeFields = {
  fullAddress: ['streetAddress', 'city', 'state', 'zipCode'],
  cityStateZip: ['city', 'state', 'zipCode'],
}

/** Column fields that contain several fields of a deal, or a part of a field. */
export const jointFields = new Set([...Object.keys(placeFields), 'latitude', 'longitude'])

const country = /[\s,]{1,3}(?:USA?|U\.S\.A?\.?|United States(?: of America)?|Canada)$/i
const zip = /[\s,]{1,3}(\d{5}(?:-\d{4})?|[A-Z]\d[A-Z] ?\d[A-Z]\d)$/

/** Splits a string at an index, dropping spaces and commas around the split. */
const splitAt = (text: string, at: number) =>
  at < 0 ? null : [text.slice(0, at).replace(/[\s,/]{1,3}$/, ''), text.slice(at + 1).trim()]

const lastLine = (text: string) => splitAt(text, Math.max(text.lastIndexOf(','), text.lastIndexOf('\n')))

/** Splits `Mesa, AZ 85203`. Returns null for text in any other format. */
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
const suffixes = new Set(
  'st street ave avenue rd road dr drive ln lane blvd boulevard ct court cir circle pl place way pkwy parkway ter terrace trl trail hwy highway loop path sq square cv cove run pass'.split(
    ' ',
  ),
)

/**
 * Splits `12 Oak St NW Apt 4 Mesa` after the suffix, direction, and unit of the street. Returns null if there
 * is no suffix.
 */
function splitStreet(text: string): string[] | null {
  const words = text.split(' ')
  const wordAt = (at: number) => (words[at] ?? '').toLowerCase().replace(/\.$/, '')
  // An address starts with a number and a name.
  let at = words.findIndex((_, index) => index > 1 && suffixes.has(wordAt(index))) + 1
  if (at === 0) return null
  while (suffixes.has(wordAt(at)) && wordAt(at) !== 'st') at++
  if (/^[nsew]{1,2}$/.test(wordAt(at))) at++
  if (unit.test(wordAt(at))) at += /\d/.test(wordAt(at)) ? 1 : 2
  const city = words.slice(at)
  return city.length > 3 ? null : [words.slice(0, at).join(' '), city.join(' ')]
}

/** Splits `12 Oak St, Mesa, AZ 85203`, with or without commas. Returns null for text in any other format. */
function fullAddress(text: string): Record<string, string> | null {
  const place = cityStateZip(text)
  if (place === null) return null
  const [streetAddress = '', city = ''] = lastLine(place['city']!) ?? splitStreet(place['city']!) ?? []
  if (city === '' || !/\d/.test(streetAddress)) return null
  if (!unit.test(city)) return { ...place, streetAddress, city }
  // `12 Oak St, Building B, CA` does not contain a city.
  const { city: whole, ...rest } = place
  return { ...rest, streetAddress: whole! }
}

export const splitPlace = { cityStateZip, fullAddress }
