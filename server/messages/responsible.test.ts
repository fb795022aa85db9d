import { expect, test } from 'vitest'
import { responsibleForDeal, nameOfDeal } from './responsible.ts'

const maria = { firstName: 'Maria', lastName: 'Alvarez', email: ' Maria@Bright.example ' }
const json = JSON.stringify({
  projectManager: maria,
  permitCoordinator: { email: 'p@bright.example' },
  lender: 'Sunlight',
})

test.each([
  ['install', 'open', { role: 'projectManager', name: 'Maria Alvarez', email: 'maria@bright.example' }],
  ['permit', 'open', { role: 'permitCoordinator', name: 'p@bright.example', email: 'p@bright.example' }],
  ['permit', 'on-hold', { role: 'projectManager', name: 'Maria Alvarez', email: 'maria@bright.example' }],
  ['inspection', null, { role: 'postInstallProjectManager', name: null, email: null }],
  ['approval', 'open', { role: 'lender', name: 'Sunlight', email: null }],
  ['install', 'won', { role: null, name: null, email: null }],
  ['unknown', 'open', { role: null, name: null, email: null }],
  [null, 'open', { role: null, name: null, email: null }],
] as const)('a deal that waits for %s in a stage that is %s', (hold, kind, holder) =>
  expect(responsibleForDeal({ hold, kind, json })).toEqual(holder),
)

test('a deal is shown by its name, or else by the homeowner, or else by its id', () => {
  expect(nameOfDeal('7', '{"dealname":" Lopez, Ana - 7.20 kW ","firstName":"Ana"}')).toBe(
    'Lopez, Ana - 7.20 kW',
  )
  expect(nameOfDeal('7', '{"dealname":null,"firstName":"Ana","lastName":"Lopez"}')).toBe('Lopez, Ana')
  expect(nameOfDeal('7', '{}')).toBe('Deal 7')
})
