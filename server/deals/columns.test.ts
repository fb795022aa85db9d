import { describe, expect, test } from 'vitest'
import { classifyStage } from '../stages/stage.ts'
import { columnOf, flagBits, flagFields, deriveColumns, plainColumns } from './columns.ts'
import type { DealRecord } from './deal.ts'

describe('the bits of the flags', () => {
  // Stored with every deal: a number never changes, and the number of a dropped flag is never reused.
  const stored = {
    hasBattery: 0,
    hasChangesToAdders: 1,
    hasHoa: 2,
    inspectionRequired: 3,
    installCompleted: 4,
    m2Approved: 5,
    hasOutstandingItems: 6,
    permitRequired: 7,
    plansetMatchesAsBuilt: 8,
    scopeOfWorkPacket: 9,
  }

  test('match the stored columns', () => {
    expect(flagBits).toMatchObject(stored)
  })

  test('are unique for each flag, and fit the column', () => {
    expect(Object.keys(flagBits).toSorted()).toEqual(flagFields.toSorted())
    const bits = Object.values(flagBits)
    expect(new Set(bits).size).toBe(bits.length)
    for (const bit of bits) expect(bit >= 0 && bit < 31 && Number.isInteger(bit), String(bit)).toBe(true)
  })

  test('are set for true flags', () => {
    const flagsIn = (record: Omit<DealRecord, 'id'>) =>
      deriveColumns({ id: 1n, ...record }, classifyStage(''), Date.parse('2026-03-15'))
    expect(flagsIn({})).toMatchObject({ flags: 0, given: 0 })
    // A completed install without a date would be a data issue.
    const installComplete = '2026-03-01T00:00:00.000Z'
    for (const field of flagFields)
      expect(flagsIn({ installComplete, [field]: true }), field).toMatchObject({
        flags: 2 ** flagBits[field],
        given: 2 ** flagBits[field],
      })
    expect(flagsIn({ hasHoa: false, hasBattery: null })).toMatchObject({
      flags: 0,
      given: 2 ** flagBits.hasHoa,
    })
  })
})

test('no two fields share a column', () => {
  const columns = plainColumns.map(({ column }) => column)
  expect(new Set(columns).size).toBe(columns.length)
  expect(columnOf('timeInCurrentStage')).toBe('time_in_current_stage')
})
