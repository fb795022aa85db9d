import { expect, test } from 'vitest'
import { type Health, conditionOf } from './condition.ts'

const [then, later] = [new Date('2026-03-01T12:00:00Z'), new Date('2026-03-06T12:00:00Z')]
const health: Health = {
  failingSince: null,
  switchedOffAt: null,
  switchedOffBecause: null,
  lastSuccessAt: null,
}

test.each<[Health | undefined, string, Date | null]>([
  [undefined, 'Not set', null],
  [health, 'Ready', null],
  [{ ...health, lastSuccessAt: then }, 'Working', null],
  [{ ...health, lastSuccessAt: then, failingSince: later }, 'Failing', later],
  [
    { ...health, failingSince: then, switchedOffAt: later, switchedOffBecause: 'failing' },
    'Switched off',
    later,
  ],
  [
    { ...health, lastSuccessAt: then, switchedOffAt: later, switchedOffBecause: 'suspended' },
    'Switched off',
    later,
  ],
])('%o is %s, since %s', (given, label, since) => {
  expect(conditionOf(given)).toMatchObject({ label, since })
})

test.each([
  ['gone', '410'],
  ['failing', 'five days'],
  ['suspended', 'The installer has suspended'],
] as const)('switched off because it is %s is told by %s', (switchedOffBecause, said) => {
  expect(conditionOf({ ...health, switchedOffAt: then, switchedOffBecause }).text).toContain(said)
})
