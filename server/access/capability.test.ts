import { expect, test } from 'vitest'
import { capabilities, may } from './capability.ts'
import { requireCapability } from './procedure.ts'

test.each([
  ['member', ['seeMoney']],
  ['admin', ['seeMoney', 'manage', 'administer']],
  ['operator', ['seeMoney', 'manage', 'operate']],
] as const)('%s may %s and nothing else', (role, allowed) => {
  const all = Object.keys(capabilities) as (keyof typeof capabilities)[]
  expect(all.filter((capability) => may(role, capability))).toEqual(allowed)
})

test('a role without the capability gets a 403 with an explanation', () => {
  expect(() => requireCapability('member', 'operate')).toThrow('Only operators can do this')
  expect(() => requireCapability('member', 'manage')).toThrow('Only admins can do this')
  expect(() => requireCapability('member', 'seeMoney')).not.toThrow()
})
