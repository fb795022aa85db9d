import { expect, test } from 'vitest'
import { hrefFrom } from '../deals/lists.tsx'
import {
  type Visitor,
  currentEntry,
  currentPlace,
  entriesFor,
  entriesOf,
  headEntriesFor,
  sectionEntriesFor,
  sectionName,
} from './navigation.ts'

const all = { map: true, flow: true, trends: true, reps: true, scorecard: true }
const member: Visitor = { role: 'member', chosenPartner: null, offers: all }
const admin: Visitor = { ...member, role: 'admin' }
const operator: Visitor = { ...member, role: 'operator' }
const labels = (entries: { label: string }[]) => entries.map(({ label }) => label)

test.each([
  ['/', 'Home', 'home'],
  ['/deals', 'Deals', 'deals'],
  ['/deals/42', 'Deals', 'deals'],
  ['/deals/board', 'Board', 'deals'],
  ['/deals/map', 'Map', 'deals'],
  ['/dealsboard', undefined, undefined],
  ['/account', undefined, undefined],
  ['/week', 'Week', 'reports'],
  ['/flow/trends', 'Trends', 'reports'],
  ['/deliveries/7', 'Deliveries', 'section'],
])('the page %s belongs to the entry %s in the section %s', (path, label, place) => {
  expect(currentEntry(entriesFor(admin), path)?.label).toBe(label)
  expect(currentPlace(path)).toBe(place)
})

test('list, board and map share their query; links from other pages start with open deals', () => {
  expect(hrefFrom('/deals/board', '/deals', 'q=a&view=1')).toBe('/deals/board?q=a&view=1')
  expect(hrefFrom('/deals', '/deals/board', 'q=a')).toBe('/deals?q=a')
  expect(hrefFrom('/deals/map', '/deals', 'peek=42&q=a')).toBe('/deals/map?q=a')
  expect(hrefFrom('/deals/board', '/deals', 'peek=42')).toBe('/deals/board')
  expect(hrefFrom('/deals', '/deals/board', '')).toBe('/deals')
  expect(hrefFrom('/deals', '/deals', 'q=a')).toBe('/deals?is=open')
  expect(hrefFrom('/', '/deals', 'q=a')).toBe('/')
  expect(hrefFrom('/deals', '/audit', 'q=a')).toBe('/deals?is=open')
})

test('everyone sees the four main entries, and pages without data are hidden', () => {
  for (const visitor of [member, admin, operator])
    expect(labels(headEntriesFor(visitor))).toEqual(['Home', 'Deals', 'Money', 'Reports'])
  expect(labels(entriesOf('reports', member))).toEqual(['Week', 'Flow', 'Trends', 'Scorecard'])
  const sparse: Visitor = { ...member, offers: { ...all, map: false, flow: false, scorecard: false } }
  expect(labels(entriesOf('reports', sparse))).toEqual(['Week', 'Trends'])
  expect(labels(entriesOf('deals', sparse))).toEqual(['Deals', 'Board'])
})

test('each role sees its own section', () => {
  expect(sectionName(operator)).toBe('Operate')
  expect(sectionName(admin)).toBe('Manage')
  expect(labels(sectionEntriesFor(member))).toEqual([])
  expect(labels(sectionEntriesFor(admin))).toEqual([
    'Team',
    'Webhooks',
    'Deliveries',
    'Tokens',
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
