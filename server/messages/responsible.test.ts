import { expect, test } from 'vitest'
import type { DealRecord } from '../deals/deal.ts'
import { renderDeal } from '../deals/render.ts'
import { makeStageOf } from '../stages/stage.ts'
import { responsibleForDeal, nameOfDeal } from './responsible.ts'

const person = (firstName: string, email: string) => ({ id: null, firstName, lastName: null, email })
const people = {
  projectManager: person('Maria', ' Maria@Bright.example '),
  permitCoordinator: person('Paul', 'p@bright.example'),
  lender: 'Sunlight',
} as unknown as Partial<DealRecord>
const ixCoordinator = { ixCoordinator: person('Ines', 'i@bright.example') } as unknown as Partial<DealRecord>

const maria = { role: 'projectManager', name: 'Maria', email: 'maria@bright.example' }
const nobody = { role: null, name: null, email: null }

test.each([
  ['Install Scheduled', {}, maria],
  ['Permit Submitted', {}, { role: 'permitCoordinator', name: 'Paul', email: 'p@bright.example' }],
  ['On Hold', {}, maria],
  ['Inspection', {}, { role: 'postInstallProjectManager', name: null, email: null }],
  ['M2 Approval', {}, { role: 'lender', name: 'Sunlight', email: null }],
  ['Awaiting PTO', ixCoordinator, { role: 'ixCoordinator', name: 'Ines', email: 'i@bright.example' }],
  ['Complete', {}, nobody],
  ['Cancelled', {}, nobody],
  ['', {}, nobody],
] as const)(
  "in the stage %j, the responsible person is the one named on the deal's page",
  (stage, others, responsible) => {
    const json = renderDeal({ id: 1n, stage, ...people, ...others })
    expect(responsibleForDeal({ json, given: 0 }, makeStageOf([]), Date.now())).toEqual(responsible)
  },
)

test('names a deal by its name, or else by the homeowner, or else by its id', () => {
  expect(nameOfDeal('7', '{"dealname":" Lopez, Ana - 7.20 kW ","firstName":"Ana"}')).toBe(
    'Lopez, Ana - 7.20 kW',
  )
  expect(nameOfDeal('7', '{"dealname":null,"firstName":"Ana","lastName":"Lopez"}')).toBe('Lopez, Ana')
  expect(nameOfDeal('7', '{}')).toBe('Deal 7')
})
