import { expect, test } from 'vitest'
import { classifyStage } from '../stages/stage.ts'
import { columnOf, deriveColumns, flagBits, flagFields, plainColumns } from './columns.ts'
import type { DealRecord } from './deal.ts'
import { milestones } from './milestones/milestone.ts'
import { stepBits, stepsOf } from './milestones/status.ts'

test.each([
  ['flags', flagBits, flagFields],
  ['milestones', stepBits, milestones.map(({ name }) => name)],
])('each of the %s has its own bit that fits into the column', (_, bits, names) => {
  expect(Object.keys(bits).toSorted()).toEqual([...names].toSorted())
  const numbers = Object.values<number>(bits)
  expect(new Set(numbers).size).toBe(numbers.length)
  for (const bit of numbers) expect(bit >= 0 && bit < 31 && Number.isInteger(bit), String(bit)).toBe(true)
})

// These numbers are stored with every deal. A number must never change, and the number of a dropped milestone
// must not be reused. The numbers of flags are part of the hash in render-version.test.ts.
test('the bits of the milestones match the stored columns', () => {
  const stored = 'created survey cad redesign reSign engineering ntp hoa permit install inspection'
  const names = `${stored} reInstall reInspection funding m2`.split(' ')
  expect(stepBits).toMatchObject(Object.fromEntries(names.map((name, bit) => [name, bit])))
  expect(stepsOf(['created', 'permit'])).toBe(2 ** 0 + 2 ** 8)
})

test('sets the bits of flags that are true and of flags that are known', () => {
  const flagsIn = (record: Omit<DealRecord, 'id'>) =>
    deriveColumns({ id: 1n, ...record }, classifyStage(''), Date.parse('2026-03-15'))
  expect(flagsIn({})).toMatchObject({ flags: 0, given: 0 })
  // Has a date, because a completed install without one would be a data issue.
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

test('no two fields share a column', () => {
  const columns = plainColumns.map(({ column }) => column)
  expect(new Set(columns).size).toBe(columns.length)
  expect(columnOf('timeInCurrentStage')).toBe('time_in_current_stage')
})
