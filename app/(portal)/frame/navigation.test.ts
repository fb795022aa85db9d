import { expect, test } from 'vitest'
import {
  type Visitor,
  currentEntry,
  currentHeadEntry,
  entriesFor,
  headEntriesFor,
  hrefFrom,
  sectionEntriesFor,
} from './navigation.ts'

const member: Visitor = { role: 'member', chosenPartner: null }
const admin: Visitor = { role: 'admin', chosenPartner: null }
const operator: Visitor = { role: 'operator', chosenPartner: null }
const labels = (entries: { label: string }[]) => entries.map(({ label }) => label)

test.each([
  ['/', 'Overview'],
  ['/deals', 'Deals'],
  ['/deals/42', 'Deals'],
  ['/deals/board', 'Board'],
  ['/deals/map', 'Map'],
  ['/dealsboard', undefined],
  ['/account', undefined],
  ['/deliveries/7', 'Deliveries'],
])('%s belongs to %s', (path, label) => {
  expect(currentEntry(entriesFor(admin), path)?.label).toBe(label)
})

test('only the list, the board and the map pass on their query', () => {
  expect(hrefFrom('/deals/board', '/deals', 'q=a&view=1')).toBe('/deals/board?q=a&view=1')
  expect(hrefFrom('/deals', '/deals/board', 'q=a')).toBe('/deals?q=a')
  expect(hrefFrom('/deals/map', '/deals', 'q=a')).toBe('/deals/map?q=a')
  expect(hrefFrom('/deals/map', '/deals', 'peek=42&q=a')).toBe('/deals/map?q=a')
  expect(hrefFrom('/deals/board', '/deals', 'peek=42')).toBe('/deals/board')
  expect(hrefFrom('/deals', '/deals/board', '')).toBe('/deals')
  expect(hrefFrom('/deals', '/deals', 'q=a')).toBe('/deals')
  expect(hrefFrom('/', '/deals', 'q=a')).toBe('/')
  expect(hrefFrom('/deals', '/audit', 'q=a')).toBe('/deals')
})

test('each role sees the common links and its own', () => {
  expect(labels(entriesFor(member))).toEqual(['Overview', 'Week', 'Deals', 'Board', 'Map', 'Money', 'Flow'])
  expect(labels(entriesFor({ ...member, seesScorecard: true })).at(-1)).toBe('Scorecard')
  expect(labels(sectionEntriesFor(member))).toEqual([])
  expect(labels(sectionEntriesFor(admin))).toEqual([
    'Webhooks',
    'Deliveries',
    'Tokens',
    'Team',
    'Data issues',
    'Audit log',
    'Developers',
  ])
  expect(labels(sectionEntriesFor(operator))).toEqual([
    'Partners',
    'Questions',
    'Imports',
    'Sources',
    'Stages',
    'Deliveries',
    'Tokens',
    'Accounts',
    'Data issues',
    'Audit log',
    'Health',
    'Developers',
  ])
  expect(
    labels(sectionEntriesFor({ ...operator, chosenPartner: { slug: 'sunline', name: 'Sunline' } })),
  ).toContain('Webhooks')
})

test('the page header links to the section once, current on each of its pages', () => {
  expect(labels(headEntriesFor(member))).toEqual([
    'Overview',
    'Week',
    'Deals',
    'Board',
    'Map',
    'Money',
    'Flow',
  ])
  expect(headEntriesFor(admin).at(-1)).toMatchObject({ label: 'Manage', href: '/webhooks' })
  expect(headEntriesFor(operator).at(-1)).toMatchObject({ label: 'Operate', href: '/partners' })
  expect(currentHeadEntry(admin, '/tokens')?.label).toBe('Manage')
  expect(currentHeadEntry(admin, '/deals/board')?.label).toBe('Board')
  expect(currentHeadEntry(admin, '/account')).toBeUndefined()
})
