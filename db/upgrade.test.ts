import { expect, test } from 'vitest'
import { upgradeProblem } from './upgrade.ts'

const known = [{ when: 10 }, { when: 20 }, { when: 40 }]

test.each([null, 10, 20, 40, 50])('upgrades a database whose last migration is %s', (last) => {
  expect(upgradeProblem(last, known)).toBeNull()
})

test('for a database that is too old, names the version to upgrade to first', () => {
  expect(upgradeProblem(9, known)).toBe(
    'the database is of a version that is too old: upgrade to Partner Deals 1.1 first, start it once, and then upgrade to this version',
  )
})

test('rejects a database whose version was never released', () => {
  expect(upgradeProblem(30, known)).toMatch(/^the database was made by a version under development/)
})
