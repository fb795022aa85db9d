import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { faults } from './faults.ts'

test.each(faults)('$file contains the faulty line exactly once: $find', ({ file, find, replace }) => {
  expect(readFileSync(file, 'utf8').split(find).length - 1).toBe(1)
  expect(replace).not.toBe(find)
})

test('every test file named by a fault exists', () => {
  // Without any tests, the test runner would fail, and that would look like a caught fault.
  const files = globSync('{server,copy,db,app,e2e}/**/*.test.ts')
  const named = new Set(faults.flatMap(({ tests }) => tests))
  expect([...named].filter((part) => !files.some((file) => file.includes(part)))).toEqual([])
})

test('there are at least 60 faults', () => {
  expect(faults.length).toBeGreaterThanOrEqual(60)
})
