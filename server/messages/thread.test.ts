import { expect, test, describe } from 'vitest'
import type { DealRecord } from '../deals/deal.ts'
import { renderDeal } from '../deals/render.ts'
import { makeStageOf } from '../stages/stage.ts'
import { responsibleForDeal, nameOfDeal, mailedOf, mentionedIn, stateOf } from './thread.ts'

test('a question is open until the installer answers, and closed once resolved', () => {
  const now = new Date()
  expect(stateOf({ waitingSince: now, resolvedAt: null })).toBe('open')
  expect(stateOf({ waitingSince: null, resolvedAt: null })).toBe('answered')
  expect(stateOf({ waitingSince: null, resolvedAt: now })).toBe('resolved')
})

describe('a mention', () => {
  const people = [
    { id: 1, name: 'Ana' },
    { id: 2, name: 'Ana Lopez' },
    { id: 3, name: 'Øystein' },
    { id: 4, name: 'Ana' },
    { id: 5, name: '' },
  ]
  test.each([
    ['@Ana Lopez, please look', [2]],
    ['please look, @Ana.', [1, 4]],
    ['@Anabel', []],
    ['(@Øystein) and @Ana Lopez', [3, 2]],
    ['mail to me@Ana', []],
    ['Ana Lopez', []],
    ['@', []],
    ['@@Ana', [1, 4]],
  ])('in %j refers to the users %j', (text, ids) => expect(mentionedIn(text, people)).toEqual(ids))
})

test('mails the people responsible for the deal, or the whole team if there are none, unless already notified', () => {
  const of = (more: { notified?: number[]; responsible?: number[] }) =>
    mailedOf({ notified: [], responsible: [], operators: [91, 92], ...more })
  expect(of({})).toEqual([91, 92])
  expect(of({ responsible: [92] })).toEqual([92])
  expect(of({ responsible: [92], notified: [92] })).toEqual([])
  expect(of({ notified: [2] })).toEqual([91, 92])
  expect(of({ notified: [2, 91] })).toEqual([])
  expect(of({ notified: [91], responsible: [92] })).toEqual([92])
})

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
