import { expect, test } from 'vitest'
import { countMaxMs, isCurrent, restMs } from './totals.ts'

test('totals are outdated if the list has an earlier revision, as after restoring a backup', () => {
  expect(isCurrent({ revision: 7, validUntil: null }, 6, new Date())).toBe(false)
})

test('computing totals takes at most a tenth of the time', () => {
  expect(restMs(20)).toBe(5000)
  expect(restMs(1300)).toBe(13_000)
  expect(restMs(countMaxMs)).toBe(10 * countMaxMs)
})
