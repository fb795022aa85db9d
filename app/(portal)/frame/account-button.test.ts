import { expect, test } from 'vitest'
import { initialsOf } from './account-button.tsx'

test.each([
  ['Dana Whitfield', 'DW'],
  ['Ana María de la Cruz', 'AC'],
  ['Cher', 'C'],
  ['  Kim   Reed ', 'KR'],
  ['', ''],
  ['🌞 Sun', '🌞S'],
])('the initials of %j are %j', (name, initials) => {
  expect(initialsOf(name)).toBe(initials)
})
