import { expect, test } from 'vitest'
import { type Health, endpointStatus } from './endpoint-status.ts'

const [then, later] = [new Date('2026-03-01T12:00:00Z'), new Date('2026-03-06T12:00:00Z')]
const health: Health = {
  failingSince: null,
  switchedOffAt: null,
  switchedOffBecause: null,
  lastSuccessAt: null,
}

test.each<[Health | undefined, string, Date | null, Date | null]>([
  [undefined, 'Not set', null, null],
  [health, 'Ready', null, null],
  [{ ...health, lastSuccessAt: then }, 'Active', null, null],
  [{ ...health, lastSuccessAt: then, failingSince: later }, 'Failing', later, null],
  [
    { ...health, failingSince: then, switchedOffAt: later, switchedOffBecause: 'failing' },
    'Switched off',
    null,
    later,
  ],
  [
    { ...health, lastSuccessAt: then, switchedOffAt: later, switchedOffBecause: 'suspended' },
    'Switched off',
    null,
    later,
  ],
])('%o is %s, failing since %s, switched off at %s', (given, label, failingSince, switchedOffAt) => {
  expect(endpointStatus(given)).toMatchObject({ label, failingSince, switchedOffAt })
})

test.each([
  ['gone', '410'],
  ['failing', '5 days'],
  ['suspended', 'The installer suspended'],
] as const)('an endpoint switched off because it is %s mentions %s', (switchedOffBecause, said) => {
  expect(endpointStatus({ ...health, switchedOffAt: then, switchedOffBecause }).text).toContain(said)
})
