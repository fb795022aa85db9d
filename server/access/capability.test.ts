import { expect, test } from 'vitest'
import { capabilities, may } from './capability.ts'

test.each([
  ['member', ['seeMoney']],
  ['admin', ['seeMoney', 'manage', 'administer']],
  ['operator', ['seeMoney', 'manage', 'operate']],
] as const)('%s may %s and nothing else', (role, allowed) => {
  const all = Object.keys(capabilities) as (keyof typeof capabilities)[]
  expect(all.filter((capability) => may(role, capability))).toEqual(allowed)
})
