import { expect, test } from 'vitest'
import { classifyStage } from '../stages/stage.ts'
import { columnOf, deriveColumns, flagBits, flagFields, peopleOf, plainColumns, rolesOf } from './columns.ts'
import type { DealRecord } from './deal.ts'
import { milestones } from './milestone.ts'
import { stepBits, stepsOf } from './status.ts'

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
// must not be reused. The numbers of flags are part of the hash in render.test.ts.
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

test('a person with several roles counts once, by name and e-mail address or by name alone', () => {
  const person = (firstName: string | null, email: string) =>
    ({ id: 1n, firstName, lastName: firstName && 'Reed', email }) as never
  const deal: DealRecord = {
    id: 1n,
    owner: person('Kim', 'Kim@x.example'),
    permitCoordinator: person('Kim', 'kim@x.example'),
    projectManager: person(null, 'pat@x.example'),
    ixCoordinator: person('Kim', 'other@x.example'),
    closerName: ' Jo ',
    setterName: 'Kim Reed',
  }
  expect(peopleOf(deal)).toEqual([
    {
      name: 'Kim Reed',
      email: 'kim@x.example',
      roles: rolesOf(['owner', 'permitCoordinator', 'setterName']),
    },
    { name: 'pat@x.example', email: 'pat@x.example', roles: rolesOf(['projectManager']) },
    { name: 'Kim Reed', email: 'other@x.example', roles: rolesOf(['ixCoordinator']) },
    { name: 'Jo', email: '', roles: rolesOf(['closerName']) },
  ])
})

test('no two fields share a column', () => {
  const columns = plainColumns.map(({ column }) => column)
  expect(new Set(columns).size).toBe(columns.length)
  expect(columnOf('timeInCurrentStage')).toBe('time_in_current_stage')
})
