import fc from 'fast-check'
import { expect, test } from 'vitest'
import { orderEvidence, timeReader } from './date.ts'
import { Unreadable } from './unreadable.ts'
import { type Zone, utc } from './zone.ts'

const read = timeReader(undefined, utc)
const day = '2026-03-04T00:00:00.000Z'
const afternoon = '2026-03-04T14:30:00.000Z'

test.each(
  `2026-03-04|2026-3-4|2026/03/04|2026.03.04|20260304|3/4/2026|03/04/26|03-04-2026|4.3.2026|04.03.26|4-Mar-26
04-MAR-2026|04-mars-26|4.Mrz.2026|04MAR2026|Mar-04-2026|2026-Mar-04|46085|46085.0|4 Mar 2026|4 March 2026
4 de marzo de 2026|4 mars 2026|4. März 2026|4th of March 2026|Mar 4, 2026|Mar. 4, 2026|March 4th, 2026|March 4 2026
Mar 4 '26|Wed, Mar 4, 2026|Wednesday, March 4, 2026|Wed 3/4/2026|3/4/2026 (Wed)| 3/4/2026\u00a0
\u200e3/\u200e4/\u200e2026`.split(/[|\n]/),
)('reads the day %j', (text) => expect(read(text)).toBe(day))

test.each(
  `2026-03-04T14:30Z|2026-03-04T14:30|2026-03-04 14:30|2026-03-04 14:30:00.000000|2026-03-04 14:30:00,000
2026-03-04T14:30:00.000000000Z|2026-03-04T14:30:00.000+0000|2026-03-04 14:30:00+00|2026-03-04 14:30:00 UTC
2026-03-04 14:30:00 Z|2026-03-04T07:30:00-0700|2026-03-04 07:30:00 -07:00|2026-03-04T07:30:00-07:00[America/Phoenix]
2026-03-04 07:30 MST|3/4/2026 9:30 AM (EST)|Mar 4, 2026 7:30 AM (GMT-07:00)|3/4/2026 2:30 PM (est.)
2026-03-04 07:30:00-0700 (MST)|3/4/2026, 2:30:00\u202fPM|3/4/2026 2:30PM|3/4/2026 2:30 p.m.|3/4/2026 2:30p
3/4/2026 02:30:00 p. m.|3/4/26 14:30|4-Mar-26 14:30|04-MAR-26 02.30.00.000000 PM|04MAR2026:14:30:00
March 4, 2026 at 2:30 PM|3/4/2026 @ 2:30 PM|2:30 PM 3/4/2026|Wed, 04 Mar 2026 14:30:00 GMT
Wednesday, 04-Mar-26 14:30:00 UTC|Wed Mar  4 14:30:00 2026|Wed Mar  4 14:30:00 UTC 2026
Wed Mar 04 2026 07:30:00 GMT-0700 (Mountain Standard Time)|20260304T143000Z|20260304143000
1772634600|1772634600.0|1772634600000`.split(/[|\n]/),
)('reads the time %j', (text) => expect(read(text)).toBe(afternoon))

test.each([
  ['3/4/2026 12:00 AM', '2026-03-04T00:00:00.000Z'],
  ['3/4/2026 12:05 AM', '2026-03-04T00:05:00.000Z'],
  ['3/4/2026 12 PM', '2026-03-04T12:00:00.000Z'],
  ['2026-03-04 24:00', '2026-03-05T00:00:00.000Z'],
  ['2026-12-31T24:00:00', '2027-01-01T00:00:00.000Z'],
  ['2026-03-04 14:30:00.1239', '2026-03-04T14:30:00.123Z'],
  ['46085.604', '2026-03-04T14:29:46.000Z'],
  ['12/31/69', '2069-12-31T00:00:00.000Z'],
  ['1/2/70', '1970-01-02T00:00:00.000Z'],
  ['2/29/2028', '2028-02-29T00:00:00.000Z'],
  ['3.25.2026', '2026-03-25T00:00:00.000Z'],
  ['25/3/2026', '2026-03-25T00:00:00.000Z'],
])('reads the cell %s as %s', (text, time) => expect(read(text)).toBe(time))

const cases = (texts: string[], problem: string, time = '') =>
  texts.map((text) => [text, `${problem}; use one such as 2026-03-01${time}`] as const)

test.each([
  ...cases(['4-Mar', 'March 4th', '3/4', 'Mar-26'], 'has no year'),
  ...cases(['March 2026', '3/2026', '2026-03', '2026'], 'has no day'),
  ...cases(['2/30/2026', '2/29/2027', '13/13/2026', '2026-02-30'], 'is not a day of the calendar'),
  ...cases(
    ['2026/03-01', 'tomorrow', '14:30', '85003', '862000006', '6025550147', 'Q1 2026', 'yes'],
    'is not a date',
  ),
  ...cases(
    ['13:00 pm', '25:00', '2:30 XYZ', '- 3/6/2026', '(rescheduled to 3/9/2026)', 'x'].map(
      (end) => `3/4/2026 ${end}`,
    ),
    'has an unknown time or zone',
    ' 17:20',
  ),
])('rejects the cell %s, which %s', (text, problem) =>
  expect(read(text)).toEqual(new Unreadable(`“${text}” ${problem}`)),
)

test.each(
  [
    [
      '',
      'N/A',
      'TBD',
      '-',
      '0',
      '0000-00-00',
      '0000-00-00 00:00:00',
      '00/00/0000',
      '1/0/1900',
      '0-Jan-00',
      '0.0',
      '00/01/1900',
      '00.01.1900',
      '1900/01/00',
      '1900-1-0',
      'Jan 0, 1900',
      '0 January 1900',
      'NaT',
    ],
    ['12/30/1899 0:00', '1899-12-30', '1900-01-00', '1900-01-01 00:00:00.000', '1/1/1900 12:00:00 AM'],
    ['1900-01-01T00:00:00.000Z', '1904-01-01', '0001-01-01T00:00:00', '0001-01-01T00:00:00.0000000+00:00'],
    ['1/1/0001', '1970-01-01', '1970-01-01T07:00:00Z', '1/1/1970', 'Dec 31, 1969 5:00 PM'],
    ['9999-12-31', '12/31/9999 23:59:59'],
  ].flat(),
)('does not read %j as a time', (text) => {
  expect(read(text)).toBeNull()
  expect(timeReader(undefined, 'America/Los_Angeles' as Zone)(text)).toBeNull()
})

test("uses the column's order of day and month, and rejects values that contradict it", () => {
  const [monthFirst, dayFirst] = [timeReader(false, utc), timeReader(true, utc)]
  const month = '2026-03-04T00:00:00.000Z'
  const swapped = '2026-04-03T00:00:00.000Z'
  for (const text of ['3/4/2026', '3-4-26', '3.4.2026']) {
    expect(monthFirst(text)).toBe(month)
    expect(dayFirst(text)).toBe(swapped)
  }
  for (const text of ['2026-03-04', '2026/3/4', 'Mar 4, 2026', '4-Mar-26'])
    expect([monthFirst(text), dayFirst(text)]).toEqual([month, month])
  expect(monthFirst('25/3/2026')).toEqual(
    new Unreadable('“25/3/2026” is not a date with the month first; use one such as 2026-03-01'),
  )
  expect(dayFirst('3/25/2026')).toEqual(
    new Unreadable('“3/25/2026” is not a date with the day first; use one such as 2026-03-01'),
  )
})

test('reads times without a time zone in the zone of the column, and dates without any', () => {
  const inZone = timeReader(undefined, 'America/Los_Angeles' as Zone)
  expect(inZone('2026-03-01 09:20')).toBe('2026-03-01T17:20:00.000Z')
  expect(inZone('7/1/2026, 9:20 AM')).toBe('2026-07-01T16:20:00.000Z')
  expect(inZone('2026-03-01')).toBe('2026-03-01T00:00:00.000Z')
  expect(inZone('2026-03-01T09:20:00Z')).toBe('2026-03-01T09:20:00.000Z')
  expect(inZone('46082.5')).toBe('2026-03-01T20:00:00.000Z')
  expect(inZone('1772385600')).toBe('2026-03-01T17:20:00.000Z')
  // Uses the first of two equal local times. A skipped local time is interpreted as on the clock before the
  // change.
  expect(inZone('2026-11-01 01:30')).toBe('2026-11-01T08:30:00.000Z')
  expect(inZone('2026-03-08 02:30')).toBe('2026-03-08T10:30:00.000Z')
})

const minutes = fc
  .integer({ min: Date.UTC(1970, 0, 2) / 60_000, max: Date.UTC(2069, 0) / 60_000 })
  .map((count) => new Date(count * 60_000))

const formats: Intl.DateTimeFormatOptions[] = [
  { dateStyle: 'short', timeStyle: 'short' },
  { dateStyle: 'medium', timeStyle: 'medium' },
  { dateStyle: 'long', timeStyle: 'long' },
  { dateStyle: 'full', timeStyle: 'full' },
]

test.each(formats)('reads back every time that browsers write as %j', (options) => {
  const { format } = new Intl.DateTimeFormat('en-US', { ...options, timeZone: 'UTC' })
  fc.assert(
    fc.property(minutes, (date) => {
      expect(read(format(date).replace('Coordinated Universal Time', 'UTC'))).toBe(date.toISOString())
    }),
  )
})

test('reads back every time that JavaScript writes', () => {
  fc.assert(
    fc.property(minutes, (date) => {
      const time = date.toISOString()
      expect([read(time), read(date.toUTCString()), read(String(date))]).toEqual([time, time, time])
    }),
  )
})

test('never throws, and reads text only as a valid time', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const time = read(text)
      expect(time === null || time instanceof Unreadable || !Number.isNaN(Date.parse(time))).toBe(true)
    }),
  )
})

test.each([
  ['3/25/2026', 'month'],
  ['25/3/2026', 'day'],
  ['25.3.26 17:20', 'day'],
  ['3/4/2026', 'either'],
  ['3-3-2026', 'same'],
  ['13/13/2026', null],
  ['2026-03-04', null],
  ['Mar 4, 2026', null],
  ['see 3/4/2026', null],
] as const)('in the column with the date %s, %s comes first', (text, evidence) =>
  expect(orderEvidence(text)).toBe(evidence),
)

test.each([
  ['6 avr. 2026', '2026-04-06'],
  ['6 de abril del 2026', '2026-04-06'],
  ['06-août-26', '2026-08-06'],
  ['15 déc. 2026', '2026-12-15'],
  ['3-ene-2026', '2026-01-03'],
  ['1er juin 2026', '2026-06-01'],
  ['2 juil. 2026', '2026-07-02'],
  ['Okt 7, 2026', '2026-10-07'],
])('reads the month in %s', (text, date) => expect(read(text)).toBe(`${date}T00:00:00.000Z`))
