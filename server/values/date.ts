import { cleaned, isPlaceholder } from './clean.ts'
import { toTime } from './time.ts'
import { dayMs, hourMs, minuteMs, secondMs } from './units.ts'
import { type Unreadable, unreadable } from './unreadable.ts'
import { type Zone, instantOf } from './zone.ts'

const isoDay = /^\d{4}-\d\d-\d\d$/
const timeMaxLength = 80

/**
 * Returns a function that reads the dates and times of a column. A time without a zone is in `zone`, and a
 * date without a time is midnight UTC. If `dayFirst` is not set, dates with dots have the day first, and
 * other dates have the month first if possible.
 */
export function timeReader(
  dayFirst: boolean | undefined,
  zone: Zone,
): (text: string) => string | null | Unreadable {
  return (text) => {
    const exact = toTime(text) ?? (isoDay.test(text) ? toTime(`${text}T00:00:00.000Z`) : null)
    if (exact !== null) return isZeroDate(exact) ? null : exact
    const written = cleaned(text)
    if (written === '' || isPlaceholder(written) || noDate.test(written)) return null
    const plain = orderedText(written)
    const ms = readDigits(plain, zone) ?? readWritten(plain, dayFirst, zone)
    if (ms === null || ms < firstMs || ms > lastMs) return unreadable(text, problemOf(plain, dayFirst))
    const time = new Date(ms).toISOString()
    return isZeroDate(time) ? null : time
  }
}

const digitsAndSigns = /^[\d/.-]+$/

/** Returns a string as normalized by `inOrder`, or an empty string if it is too long. */
function orderedText(text: string): string {
  if (text.length > timeMaxLength) return ''
  return digitsAndSigns.test(text) ? text : inOrder(text)
}

const [firstMs, lastMs] = [Date.UTC(1000, 0), Date.UTC(9999, 11, 31, 23, 59, 59, 999)]

// Dates that databases, spreadsheets, and programs show for a zero. In America, the zero of 1970 falls on the
// evening before.
const zeroDays = new Set(
  '0001-01-01 1753-01-01 1899-12-30 1899-12-31 1900-01-01 1904-01-01 1969-12-31 1970-01-01 9999-12-31'.split(
    ' ',
  ),
)

/** Returns true if a UTC time stands for a missing date. */
const isZeroDate = (time: string) => (time < '1971' || time > '9999') && zeroDays.has(time.slice(0, 10))

// Matches zero dates that are not in the calendar, or in a year that is never accepted.
const noDate =
  /^(?:0(?:\.0)?|0000-00-00|1900[/.-]0?1[/.-]00?|00?[/.-]00?[/.-]0{2,4}|(?:0?1[/.-]00?|00?[/.-]0?1)[/.-](?:1900|00)|00?[- ]jan(?:uary)?[- ](?:00|1900)|jan(?:uary)? 00?, ?1900|0001-01-01|9999-12-31|0?1\/0?1\/0001|12\/31\/9999)(?:[ t][\d:. apm]{0,20})?(?:z|\+00:?00)?$/i

const weekday = /\b(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?\b[.,]{0,2} ?/
// Matches remarks after a date. A string like `(rescheduled to 3/9/26)` is more than a remark.
const remark = / ?(?:\((?:[^()\d]{0,60}|(?:gmt|utc)[^()]{0,10})\)|\[[a-z_/+-]{1,40}\])$/
const clockFirst = /^(\d{1,2}:\d\d(?::\d\d)?(?: ?[ap]\.?m\.?)?),? (?:on )?(\S.*)$/
const yearLast = /^([a-z]{3,9} \d{1,2}) (\d{1,2}:\d\d:\d\d)( [a-z]{2,5})? (\d{4})$/

// oxlint-disable-next-line no-control-regex
const isPlain = /^[\0-\x7f]*$/

/** Removes accents, invisible characters, and repeated spaces from a string. */
function plainText(text: string): string {
  const spaced = text.replaceAll(/\s+/g, ' ')
  return isPlain.test(spaced)
    ? spaced
    : spaced
        .replaceAll(/\p{M}/gu, '')
        .normalize('NFD')
        .replaceAll(/[\p{M}\u200b-\u200f\u202a-\u202e\u2060-\u2069]/gu, '')
}

/** Returns a string in lower case, rearranged as date, time, and zone, without weekday and remarks. */
const inOrder = (text: string) =>
  withZone(plainText(text.toLowerCase()).replaceAll(/\bdel? (?=[a-z]{4}|\d{4})/g, ''))
    .replace(remark, '')
    .replace(weekday, '')
    .trim()
    .replace(yearLast, '$1 $4 $2$3')
    .replace(clockFirst, '$2 $1')

const endsWithZone = /(?:[+−-]\d\d:?\d\d|\b(?:z|utc|gmt|[a-z]{2,3}t))$/

/** Removes the brackets around the only zone in a string: `2:30 PM (GMT-07:00)`. */
function withZone(text: string): string {
  const open = text.endsWith(')') ? text.lastIndexOf('(') : -1
  if (open < 0) return text
  const [before, zoneName] = [text.slice(0, open).trimEnd(), text.slice(open + 1, -1).trim()]
  const isZone = zoneName !== '' && offsetOf(zoneName) !== undefined && before.includes(':')
  return isZone && !endsWithZone.test(before) ? `${before} ${zoneName}` : text
}

const compact = /^((?:19|20)\d\d)(\d\d)(\d\d)(?:[t ]?(\d\d)(\d\d)(\d\d)?)?(z?)$/
const digitsOnly = /^\d{5,13}(?:\.\d{1,12})?$/

// Spreadsheet serial numbers from 1954 to 2099. Numbers outside this range are more likely to mean something
// else.
const serials = { least: 20_000, most: 73_050, of1970: 25_569 }
const endOfSeconds = Date.UTC(2100, 0) / secondMs

/**
 * Reads a string of digits only: `20260304`, a spreadsheet serial number, or seconds or milliseconds since
 * 1970.
 */
function readDigits(text: string, zone: Zone): number | null {
  const [, year, month, day, hours, minutes, seconds = '0', utc] = compact.exec(text) ?? []
  if (year !== undefined) {
    const midnight = startOf(Number(year), Number(month), Number(day))
    if (hours === undefined) return midnight
    const ms = clockOf(Number(hours), Number(minutes), Number(seconds))
    return ms === null ? null : momentOf(midnight, { ms, offsetMs: utc === 'z' ? 0 : null }, zone)
  }
  if (!digitsOnly.test(text)) return null
  const number = Number(text)
  if (number >= serials.least && number <= serials.most) {
    const ms = Math.round((number - serials.of1970) * (dayMs / secondMs)) * secondMs
    return Number.isInteger(number) ? ms : instantOf(ms, zone)
  }
  const { length } = text.split('.')[0]!
  if (length === 10 && number < endOfSeconds) return Math.round(number * secondMs)
  return length === 13 && number < endOfSeconds * secondMs ? Math.floor(number) : null
}

/** Month names in English, Spanish, French, and German, without accents. */
const monthNames = [
  'january enero janvier januar',
  'february febrero fevrier februar',
  'march marzo mars marz mrz',
  'april abril avril',
  'may mayo mai',
  'june junio juin juni',
  'july julio juillet juli',
  'august agosto aout',
  'september septiembre septembre',
  'october octubre octobre oktober',
  'november noviembre novembre',
  'december diciembre decembre dezember',
]

/** Months by the beginning of their names. For most months, three letters are enough. */
const months = new Map<string, number>()
for (const [index, names] of monthNames.entries())
  for (const name of names.split(' '))
    for (let length = 3; length <= name.length; length++) {
      const start = name.slice(0, length)
      // Two month names begin with `jui`.
      months.set(start, (months.get(start) ?? index) === index ? index : Number.NaN)
    }

/**
 * Returns the number of a month by its name in lower case or the beginning of the name, or NaN if unknown.
 */
const monthOf = (name: string): number => (months.get(name) ?? Number.NaN) + 1

const yearMonthDay = /^(\d{4})([-/.])(\d{1,2})([-/.])(\d{1,2})(\D.*)?$/
const numbersYear = /^(\d{1,2})([-/.])(\d{1,2})([-/.])(\d{4}|\d{2})(\D.*)?$/
const dayNameYear =
  /^(\d{1,2})(?:[a-z]{2})?[-/. ]{0,2}(?:of )?([a-z]{3,9})[-/., ]{0,3}['’]?(\d{4}|\d{2})(\D.*)?$/
const nameDayYear = /^([a-z]{3,9})[-/. ]{0,2}(\d{1,2})(?:[a-z]{2})?[-/., ]{1,3}['’]?(\d{4}|\d{2})(\D.*)?$/
const yearNameDay = /^(\d{4})[-/. ]{1,2}([a-z]{3,9})[-/., ]{1,3}(\d{1,2})(\D.*)?$/

/** A written day and the text after it. */
interface WrittenDay {
  year: number
  month: number
  day: number
  rest: string
}

/** Returns the day at the beginning of a string, or null. The day may not exist in the calendar. */
function dayIn(text: string, dayFirst: boolean | undefined): WrittenDay | null {
  const first = text.charCodeAt(0)
  if (first < 48 || first > 57) {
    const [, name, day, year, rest] = nameDayYear.exec(text) ?? []
    return name === undefined ? null : written(year!, monthOf(name), day!, rest)
  }
  const [, a, sign, b, sign2, c, after] = numbersYear.exec(text) ?? yearMonthDay.exec(text) ?? []
  if (a !== undefined) {
    if (sign !== sign2) return null
    if (a.length === 4) return written(a, Number(b), c!, after)
    const isDayFirst = dayFirst ?? (Number(a) > 12 || (sign === '.' && Number(b) <= 12))
    return isDayFirst ? written(c!, Number(b), a, after) : written(c!, Number(a), b!, after)
  }
  const [, day, name, year, rest] = dayNameYear.exec(text) ?? []
  if (name !== undefined) return written(year!, monthOf(name), day!, rest)
  const [, year2, name2, day2, rest2] = yearNameDay.exec(text) ?? []
  return name2 === undefined ? null : written(year2!, monthOf(name2), day2!, rest2)
}

/** Two-digit years mean 1970 to 2069. */
function written(year: string, month: number, day: string, rest = ''): WrittenDay {
  const century = Number(year) < 70 ? 2000 : 1900
  return { year: Number(year) + (year.length === 4 ? 0 : century), month, day: Number(day), rest }
}

/**
 * Reads a written date, optionally with a time and a zone, as milliseconds since 1970. Returns null if the
 * text is not a date.
 */
function readWritten(text: string, dayFirst: boolean | undefined, zone: Zone): number | null {
  const found = dayIn(text, dayFirst)
  if (found === null) return null
  const midnight = startOf(found.year, found.month, found.day)
  if (/^[,. ]*$/.test(found.rest)) return midnight
  const clock = readClock(found.rest)
  return clock === null ? null : momentOf(midnight, clock, zone)
}

/** Returns midnight UTC of a day, or null if the day does not exist. */
function startOf(year: number, month: number, day: number): number | null {
  const date = new Date(Date.UTC(year, month - 1, day))
  return year >= 1000 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date.getTime() : null
}

/** A time of day and, if a zone is given, the offset of the zone from UTC. */
interface WrittenClock {
  ms: number
  offsetMs: number | null
}

function momentOf(midnight: number | null, clock: WrittenClock, zone: Zone): number | null {
  if (midnight === null) return null
  const ms = midnight + clock.ms
  return clock.offsetMs === null ? instantOf(ms, zone) : ms - clock.offsetMs
}

const clockText =
  /^(?:t|[ ,:@-]{1,3}(?:at |@ )?)(\d{1,2})(?:[:.](\d\d)(?:[:.](\d\d)(?:[.,:](\d{1,9}))?)?)?(?: ?([ap])(?:\.? ?m\.?|(?![a-z])))?(?: ?([a-z+−-].{0,39})?)$/

/** Returns the time of day in the text after a date, or null. */
function readClock(text: string): WrittenClock | null {
  const [, hours, minutes, seconds = '0', fraction = '', half, zoneName] = clockText.exec(text) ?? []
  if (hours === undefined || (minutes === undefined && half === undefined)) return null
  const hour = half === undefined ? Number(hours) : hourOf(Number(hours), half)
  const ms = hour === null ? null : clockOf(hour, Number(minutes ?? 0), Number(seconds))
  const offsetMs = zoneName === undefined ? null : offsetOf(zoneName)
  return ms === null || offsetMs === undefined
    ? null
    : { ms: ms + Number(fraction.slice(0, 3).padEnd(3, '0')), offsetMs }
}

/** Converts an hour on a 12-hour clock, or returns null. */
const hourOf = (hour: number, half: string) => (hour > 12 ? null : (hour % 12) + (half === 'p' ? 12 : 0))

/** Returns the milliseconds since midnight, up to 24:00:00, or null. */
function clockOf(hours: number, minutes: number, seconds: number): number | null {
  const ms = hours * hourMs + minutes * minuteMs + seconds * secondMs
  return minutes < 60 && seconds < 60 && ms <= dayMs ? ms : null
}

/** Hours that US time zones are behind UTC. */
const zonesBehind = new Map(
  'est:5 edt:4 cst:6 cdt:5 mst:7 mdt:6 pst:8 pdt:7 akst:9 akdt:8 hst:10 ast:4'
    .split(' ')
    .map((zone) => [zone.split(':')[0]!, Number(zone.split(':')[1])]),
)

const offsetText = /^(?:z|utc|gmt|ut)?(?: ?([+−-])(\d{1,2})(?::?(\d\d))?(?::?00)?)?$/

/** Returns the offset of a zone from UTC, or undefined if the zone is unknown. */
function offsetOf(zoneName: string): number | undefined {
  const behind = zonesBehind.get(zoneName)
  if (behind !== undefined) return -behind * hourMs
  const read = offsetText.exec(zoneName)
  if (read === null) return undefined
  const [, sign, hours = '0', minutes = '0'] = read
  const ms = Number(hours) * hourMs + Number(minutes) * minuteMs
  if (ms > 14 * hourMs) return undefined
  return sign === undefined || sign === '+' ? ms : -ms
}

const withoutYear =
  /^(?:\d{1,2}(?:[a-z]{2})?[-/. ]{0,2}[a-z]{3,9}\.?|[a-z]{3,9}[-/. ]{1,2}\d{1,2}(?:[a-z]{2})?|\d{1,2}[-/.]\d{1,2})$/
const withoutDay = /^(?:[a-z]{3,9}[-/., ]{1,3}['’]?\d{4}|\d{1,2}[-/.]\d{4}|\d{4}(?:[-/.]\d{1,2})?)$/
const example = 'use one such as 2026-03-01'

/** Returns the reason why a string is not a date, phrased to follow the text. */
function problemOf(text: string, dayFirst: boolean | undefined): string {
  if (withoutYear.test(text)) return `has no year; ${example}`
  if (withoutDay.test(text)) return `has no day; ${example}`
  const found = dayIn(text, dayFirst)
  if (found === null || Number.isNaN(found.month)) return `is not a date; ${example}`
  if (startOf(found.year, found.month, found.day) !== null)
    return `has an unknown time or zone; ${example} 17:20`
  const other = dayFirst === undefined ? null : dayIn(text, !dayFirst)
  return other !== null && startOf(other.year, other.month, other.day) !== null
    ? `is not a date with the ${dayFirst ? 'day' : 'month'} first; ${example}`
    : `is not a day of the calendar; ${example}`
}

const swapping = /^(\d{1,2})([-/.])(\d{1,2})([-/.])(?:\d{4}|\d{2})(?:\D.*)?$/

/** What a date reveals about the order of day and month in its column. */
export type OrderEvidence = 'day' | 'month' | 'either' | 'same' | null

/**
 * Returns whether the day or the month comes first in a date, `same` if both orders give the same day, and
 * null if the date has no such order.
 */
export function orderEvidence(text: string): OrderEvidence {
  const [, a, sign, b, sign2] = swapping.exec(text) ?? []
  if (a === undefined || sign !== sign2) return null
  const [first, second] = [Number(a), Number(b)]
  if (first < 1 || second < 1 || (first > 12 && second > 12) || first > 31 || second > 31) return null
  if (first > 12) return 'day'
  if (second > 12) return 'month'
  return first === second ? 'same' : 'either'
}
