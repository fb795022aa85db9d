import { describe, expect, test } from 'vitest'
import { type Zone, addDays, dayOf, isAhead, isRepeated, readTime, startOfDay, utc } from './zone.ts'

const [losAngeles, newYork, honolulu, tokyo, havana, santiago, apia] = [
  'America/Los_Angeles',
  'America/New_York',
  'Pacific/Honolulu',
  'Asia/Tokyo',
  'America/Havana',
  'America/Santiago',
  'Pacific/Apia',
] as Zone[] as [Zone, Zone, Zone, Zone, Zone, Zone, Zone]

const startText = (day: string, zone: Zone) => new Date(startOfDay(day, zone)).toISOString()

describe('the day of a time', () => {
  test('is the day in the time zone', () => {
    // November 6, 4:53 PM in Las Vegas.
    expect(dayOf('2026-11-07T00:53:00.000Z', losAngeles)).toBe('2026-11-06')
    expect(dayOf('2026-11-07T00:53:00.000Z', honolulu)).toBe('2026-11-06')
    expect(dayOf('2026-11-07T00:53:00.000Z', utc)).toBe('2026-11-07')
    expect(dayOf('2026-11-06T15:00:00.001Z', tokyo)).toBe('2026-11-07')
  })

  test.each([utc, losAngeles, honolulu, tokyo])('is the same in %s for a date without a time', (zone) => {
    expect(dayOf('2026-11-07T00:00:00.000Z', zone)).toBe('2026-11-07')
  })

  test('is the day in the time zone for an instant at midnight UTC', () => {
    expect(dayOf(new Date('2026-11-07T00:00:00.000Z'), losAngeles)).toBe('2026-11-06')
    expect(dayOf(new Date('2026-11-07T00:00:00.000Z'), tokyo)).toBe('2026-11-07')
  })

  test('is still today after 4 PM Pacific, when UTC is a day ahead', () => {
    expect(dayOf(new Date('2026-11-22T23:59:00Z'), losAngeles)).toBe('2026-11-22')
    expect(dayOf(new Date('2026-11-23T00:30:00Z'), losAngeles)).toBe('2026-11-22')
    expect(dayOf(new Date('2026-11-23T07:59:59.999Z'), losAngeles)).toBe('2026-11-22')
    expect(dayOf(new Date('2026-11-23T08:00:00Z'), losAngeles)).toBe('2026-11-23')
  })

  test('is known for the first and last year', () => {
    expect(dayOf('0001-01-02T03:00:00.000Z', losAngeles)).toBe('0001-01-01')
    expect(dayOf('9999-12-31T23:00:00.000Z', losAngeles)).toBe('9999-12-31')
  })
})

describe('the start of a day', () => {
  test.each<[string, Zone, string]>([
    ['2026-11-06', utc, '2026-11-06T00:00:00.000Z'],
    ['2026-11-06', losAngeles, '2026-11-06T08:00:00.000Z'],
    ['2026-07-06', losAngeles, '2026-07-06T07:00:00.000Z'],
    ['2026-11-06', honolulu, '2026-11-06T10:00:00.000Z'],
    ['2026-11-06', tokyo, '2026-11-05T15:00:00.000Z'],
    // The days on which clocks change, and the days after.
    ['2026-03-08', losAngeles, '2026-03-08T08:00:00.000Z'],
    ['2026-03-09', losAngeles, '2026-03-09T07:00:00.000Z'],
    ['2026-11-01', losAngeles, '2026-11-01T07:00:00.000Z'],
    ['2026-11-02', losAngeles, '2026-11-02T08:00:00.000Z'],
    ['2026-11-01', newYork, '2026-11-01T04:00:00.000Z'],
    // Midnight does not exist on the first of these days and occurs twice on the second.
    ['2025-03-09', havana, '2025-03-09T05:00:00.000Z'],
    ['2025-11-02', havana, '2025-11-02T04:00:00.000Z'],
    ['2025-09-07', santiago, '2025-09-07T04:00:00.000Z'],
    ['2025-04-06', santiago, '2025-04-06T04:00:00.000Z'],
  ])('on %s in %s is %s', (day, zone, start) => {
    expect(startText(day, zone)).toBe(start)
  })

  test('moves to the next day if the time zone skips the day', () => {
    expect(startText('2011-12-30', apia)).toBe(startText('2011-12-31', apia))
  })

  test('is the start of the day for each day of two years', () => {
    for (const zone of [utc, losAngeles, honolulu, tokyo, havana, santiago]) {
      for (let day = '2025-01-01'; day < '2027-01-01'; day = addDays(day, 1)) {
        const start = startOfDay(day, zone)
        expect([dayOf(new Date(start - 1), zone), dayOf(new Date(start), zone)]).toEqual([
          addDays(day, -1),
          day,
        ])
      }
    }
  })
})

test('a date is in the future from tomorrow on, an instant from now on', () => {
  const [date, nine] = ['2026-11-23T00:00:00.000Z', '2026-11-23T17:00:00.000Z']
  // November 22, 5 PM in Los Angeles.
  const evening = Date.parse('2026-11-23T01:00:00.000Z')
  expect([isAhead(date, evening, losAngeles), isAhead(date, evening, utc)]).toEqual([true, false])
  expect(isAhead(date, Date.parse('2026-11-22T20:00:00.000Z'), tokyo)).toBe(false)
  expect([isAhead(nine, evening, losAngeles), isAhead(nine, Date.parse(nine), losAngeles)]).toEqual([
    true,
    false,
  ])
})

test('only midnight UTC, written as text, is a date without a time', () => {
  const [date, ...instants] = [
    '2026-11-07T00:00:00.000Z',
    '2026-11-07T00:00:00.001Z',
    '2026-11-07T08:00:00.000Z',
    new Date('2026-11-07T00:00:00.000Z'),
  ].map((time) => readTime(time, losAngeles))
  expect(date).toMatchObject({ isDate: true, zone: utc })
  expect(instants).toEqual(instants.map(({ ms }) => ({ ms, isDate: false, zone: losAngeles })))
})

test.each([
  ['2026-11-01T08:30:00.000Z', 'America/Los_Angeles', false],
  ['2026-11-01T09:00:00.000Z', 'America/Los_Angeles', true],
  ['2026-11-01T09:59:59.999Z', 'America/Los_Angeles', true],
  ['2026-11-01T10:00:00.000Z', 'America/Los_Angeles', false],
  ['2026-03-08T10:30:00.000Z', 'America/Los_Angeles', false],
  ['2026-11-01T09:30:00.000Z', 'America/Phoenix', false],
  ['2026-11-01T09:30:00.000Z', 'UTC', false],
  // Clocks turn back by half an hour.
  ['2026-04-04T15:15:00.000Z', 'Australia/Lord_Howe', true],
  ['2026-04-04T15:30:00.000Z', 'Australia/Lord_Howe', false],
])('whether the time %s is shown for the second time that day in %s: %s', (time, zone, isSecond) => {
  expect(isRepeated(Date.parse(time), zone as Zone)).toBe(isSecond)
})
