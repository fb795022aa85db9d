import { describe, expect, test } from 'vitest'
import { classifyStage } from '../stages/stage.ts'
import { deriveColumns, flagsOf } from './columns.ts'
import { addressKeyOf, dataIssuesOf } from './data-issue.ts'
import type { DealRecord } from './deal.ts'

const of = (record: Omit<DealRecord, 'id'>) =>
  dataIssuesOf({ id: 1n, ...record }, new Date('2026-03-01T12:00:00Z'))

const nowMs = Date.parse('2026-03-01T12:00:00Z')

describe('a deal has a data issue', () => {
  test('if its install is completed without a date', () => {
    expect(of({ installCompleted: true })).toEqual(['installWithoutDate'])
    expect(of({ installCompleted: true, installComplete: '2026-03-01T00:00:00.000Z' })).toEqual([])
    expect(of({ installCompleted: false })).toEqual([])
  })

  test('if its stage or later dates imply an install without a date', () => {
    const inStage = (stage: string, record: Omit<DealRecord, 'id'> = {}) => {
      const { flags } = deriveColumns({ id: 1n, stage, ...record }, classifyStage(stage), nowMs)
      return (Number(flags) & flagsOf(['installWithoutDate'])) !== 0
    }
    expect(inStage('Inspection')).toBe(true)
    expect(inStage('Complete')).toBe(true)
    expect(inStage('Sold', { fundingSubmitted: '2026-02-01T00:00:00.000Z' })).toBe(true)
    expect(inStage('Inspection', { installComplete: '2026-02-01T00:00:00.000Z' })).toBe(false)
    expect(inStage('Install Scheduled')).toBe(false)
  })

  test.each([
    ['2026-03-02T00:00:00.000Z', '2026-03-01T00:00:00.000Z', true],
    ['2026-03-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z', false],
    ['2026-03-01T18:00:00.000Z', '2026-03-01T17:00:00.000Z', true],
    // The same date begins later in a time zone west of UTC.
    ['2026-03-01T18:00:00.000Z', '2026-03-01T00:00:00.000Z', false],
    ['2026-03-02T01:00:00.000Z', '2026-03-01T00:00:00.000Z', true],
    ['2026-03-01T00:00:00.000Z', null, false],
  ])('if its permit, submitted %s, was received earlier (%s): %s', (submitted, received, hasDataIssue) => {
    expect(of({ permitSubmitted: submitted, permitReceived: received })).toEqual(
      hasDataIssue ? ['permitBeforeSubmission'] : [],
    )
  })

  test.each([
    [{ amount: -5000 }, 'amountOutOfRange'],
    [{ loanAmount: '-5000' }, 'amountOutOfRange'],
    [{ systemSize: '0 kW' }, 'sizeOutOfRange'],
    [{ zipCode: '852011' }, 'malformedZip'],
    [{ state: 'Bavaria' }, 'unknownState'],
    [{ installComplete: '2126-03-01T00:00:00.000Z' }, 'dateOutOfRange'],
    [{ primaryPhone: '555-0147' }, 'phoneLength'],
  ])('if a value is implausible: %j has the issue %s', (record, issue) => expect(of(record)).toEqual([issue]))

  test('but not if its fields are empty', () => {
    const empty = { loanAmount: '', systemSize: '', zipCode: '', state: '', primaryPhone: '' }
    expect(of(empty)).toEqual([])
    expect(of({ amount: null, zipCode: null, createDate: null })).toEqual([])
  })

  test.each(['8.80', ' 8.8 kW', '12', '7.2KW', '', null])('but not if its size is %j', (systemSize) =>
    expect(of({ systemSize })).toEqual([]),
  )

  test.each(['TBD', 'about 7', '8,8', '8.8.1', '7 or 8', '-', '9'.repeat(100_000)])(
    'if its size is not a number',
    (systemSize) => expect(of({ systemSize })).toContain('sizeIsNoNumber'),
  )

  test.each([
    ['33.4484,-112.0740', 'AZ', false],
    ['33.4484, -112.0740', 'arizona', false],
    ['33.4484,112.0740', 'AZ', true],
    ['-112.0740,33.4484', 'AZ', true],
    ['0,0', 'NV', true],
    ['36.17,-115.14', 'NV', false],
    ['40.71,-74.0', 'New York', false],
    ['40.71,-74.0', 'CA', true],
    ['40.71,-74.0', 'Bavaria', false],
    ['40.71,-74.0', 'constructor', false],
    ['40.71', 'AZ', false],
    ['', 'AZ', false],
  ])('if its coordinates %s are outside its state %s: %s', (coordinates, state, hasDataIssue) =>
    expect(of({ coordinates, state }).includes('outsideState')).toBe(hasDataIssue),
  )
})

describe('the key of a street address', () => {
  const key = (streetAddress: string | null, zipCode: string | null = '85007', more = {}) =>
    addressKeyOf({ streetAddress, zipCode, city: 'Phoenix', state: 'AZ', ...more })

  test('ignores formatting', () => {
    const one = key('1208 W Palm Ln')
    for (const other of ['1208 West Palm Lane', '1208  w. palm ln.', '1208 W PALM LN'])
      expect(key(other)).toBe(one)
    expect(key('1208 W Palm Ln', '85007-1234')).toBe(one)
    expect(Number.isSafeInteger(one)).toBe(true)
  })

  test('differs by house number, unit, ZIP code and city', () => {
    const keys = [
      key('1208 W Palm Ln'),
      key('1209 W Palm Ln'),
      key('1208 W Palm Ln Apt 2'),
      key('1208 W Palm Ln', '85008'),
      key('1208 W Palm Ln', null),
      key('1208 W Palm Ln', null, { city: 'Mesa' }),
    ]
    expect(new Set(keys).size).toBe(keys.length)
  })

  test.each([
    [null, '85007'],
    ['', '85007'],
    ['Palm Ln', '85007'],
    ['1208', '85007'],
    ['TBD', null],
  ])('is null for %s, %s, which is incomplete', (street, zip) =>
    expect(key(street, zip, zip === null ? { city: null, state: null } : {})).toBeNull(),
  )
})
