import { expect, test } from 'vitest'
import { blockerTitle } from './money-labels.ts'

test.each([
  ['Permit: Eva Novak, Permit coordinator', 'permitCoordinator', 'Eva Novak'],
  ['Permit: Permit coordinator', 'permitCoordinator', null],
  ['Permit', null, null],
] as const)('%s', (text, holder, name) => {
  expect(blockerTitle({ gate: 'install', hold: 'permit', holder, name })).toBe(text)
})
