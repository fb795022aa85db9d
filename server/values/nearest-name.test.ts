import { expect, test } from 'vitest'
import { nearestName } from './nearest-name.ts'

test.each([
  ['stages', 'stage'],
  ['STATE', 'state'],
  ['modified_after', 'modifiedAfter'],
  ['', 'stage'],
  ['x'.repeat(100_000), 'stage'],
])('finds the nearest name', (name, nearest) => {
  expect(nearestName(name, ['stage', 'state', 'modifiedAfter'])).toBe(nearest)
})
