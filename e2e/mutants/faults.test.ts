import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { faults } from './faults.ts'

test.each(faults)('$file has the line of a fault once: $find', ({ file, find, replace }) => {
  expect(readFileSync(file, 'utf8').split(find).length - 1).toBe(1)
  expect(replace).not.toBe(find)
})

test('there are at least 60 faults', () => {
  expect(faults.length).toBeGreaterThanOrEqual(60)
})
