import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { msOf, toTime } from './time.ts'

describe('parsing a time', () => {
  test.each([
    ['2026-03-01T17:20:05.000Z', '2026-03-01T17:20:05.000Z'],
    ['2026-03-01T17:20:05Z', '2026-03-01T17:20:05.000Z'],
    ['2026-03-01T17:20Z', '2026-03-01T17:20:00.000Z'],
    ['2026-03-01T17:20:05.1Z', '2026-03-01T17:20:05.100Z'],
    ['2026-03-01T17:20:05.123456789Z', '2026-03-01T17:20:05.123Z'],
    ['2026-03-01T10:20:05-07:00', '2026-03-01T17:20:05.000Z'],
    ['2026-03-01T00:30:00+23:59', '2026-02-28T00:31:00.000Z'],
    ['2026-12-31T23:30:00-01:00', '2027-01-01T00:30:00.000Z'],
  ])('converts the time %s to %s', (text, time) => expect(toTime(text)).toBe(time))

  test.each([
    ['2024-02-29T12:00:00Z', '2024-02-29T12:00:00.000Z'],
    ['2000-02-29T12:00:00Z', '2000-02-29T12:00:00.000Z'],
    ['0004-02-29T12:00:00Z', '0004-02-29T12:00:00.000Z'],
    ['2026-02-29T12:00:00Z', null],
    ['1900-02-29T12:00:00Z', null],
    ['2024-02-30T12:00:00.000Z', null],
    ['2026-04-31T12:00:00.000Z', null],
    ['2026-12-31T12:00:00Z', '2026-12-31T12:00:00.000Z'],
    ['2026-01-00T12:00:00Z', null],
    ['2026-00-10T12:00:00Z', null],
    ['2026-13-10T12:00:00Z', null],
  ])('checks whether the calendar has %s', (text, time) => expect(toTime(text)).toBe(time))

  test.each([
    ['0000-01-01T00:00:00.000Z', '0000-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    ['0000-01-01T00:00:00+01:00', null],
    ['9999-12-31T23:30:00-01:00', null],
    ['10000-01-01T00:00:00Z', null],
    ['+002026-03-01T17:20:05Z', null],
    ['-000001-03-01T17:20:05Z', null],
    ['26-03-01T17:20:05Z', null],
  ])('accepts only years of four digits: %s', (text, time) => expect(toTime(text)).toBe(time))

  test.each(
    [
      ['2026-03-01T24:00:00Z', '2026-03-01T17:60:00Z', '2016-12-31T23:59:60Z', '2026-03-01T17:20:05+24:00'],
      ['', '2026-03-01', '2026-03-01T17Z', '2026-03-01T17:20:05', '2026-03-01 17:20:05Z', '20260301T172005Z'],
      ['2026-W09-7T17:20:05Z', '2026-3-1T17:20:05Z', '2026-03-01T17:20:05.Z', '2026-03-01T17:20:05+0100'],
      [' 2026-03-01T17:20:05Z', '2026-03-01T17:20:05Z\n', '2026-03-01T17:20:05.1234567890Z', '1772385605000'],
      'Sun, 01 Mar 2026 17:20:05 GMT',
      '٢٠٢٦-03-01T17:20:05Z',
    ].flat(),
  )('rejects the time %j', (text) => expect(toTime(text)).toBeNull())

  test('formats every instant with a four-digit year', () => {
    const instant = fc.date({
      min: new Date('0000-01-01T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59.999Z'),
      noInvalidDate: true,
    })
    fc.assert(
      fc.property(instant, (date) => {
        expect(toTime(date.toISOString())).toBe(date.toISOString())
        expect(msOf(date.toISOString())).toBe(date.getTime())
        expect(toTime(date.toISOString().replace('Z', '+00:00'))).toBe(date.toISOString())
      }),
      { seed: 20_260_301 },
    )
  })
})
