import { expect, test } from 'vitest'
import { type DescribedPlace, type StagedDeal, moveStage, placeNewStages, placeStages } from './order.ts'
import { type Stage, type StageKind, classifyStage, compareStages, orderMax } from './stage.ts'

const stage = (name: string, order: number, kind: StageKind = 'open') => ({ name, order, kind })

/** Returns the names of all stages in the resulting display order. */
function shown(known: DescribedPlace[], described: DescribedPlace[]): string {
  const orders = placeStages(known, described)
  const all = new Map([...described, ...known].map((each) => [each.name, each]))
  return [...all.values()]
    .map(({ name, kind }) => ({ name, kind, tone: 'gray' as const, order: orders.get(name)! }))
    .toSorted(compareStages)
    .map(({ name }) => name)
    .join()
}

test("existing stages keep their order, whatever the CRM's order", () => {
  const known = [stage('Design', 10), stage('Permit', 20), stage('Install', 30)]
  const described = [stage('Install', 0), stage('Permit', 10), stage('Design', 20)]
  expect([...placeStages(known, described)]).toEqual([
    ['Design', 10],
    ['Permit', 20],
    ['Install', 30],
  ])
})

test("without existing stages, the CRM's order is used", () => {
  const described = [stage('Survey', 0), stage('Permit', 10), stage('Funded', 30, 'won')]
  expect([...placeStages([], described).values()]).toEqual([0, 10, 30])
})

test.each([
  ['between its neighbors', [stage('A', 10), stage('C', 20)], 'A B C', 'A,B,C'],
  [
    'after the stage that precedes it in the CRM',
    [stage('A', 10), stage('X', 20), stage('C', 30)],
    'A B C',
    'A,B,X,C',
  ],
  ['before the stage that follows it in the CRM', [stage('X', 10), stage('C', 20)], 'A B C', 'X,A,B,C'],
  ['first', [stage('C', 0)], 'A B C', 'A,B,C'],
  ['last', [stage('A', 10), stage('X', 20)], 'X B C', 'A,X,B,C'],
  [
    'where there is no room between stages',
    [stage('A', 10), stage('C', 11), stage('D', 11)],
    'A B1 B2 C',
    'A,B1,B2,C,D',
  ],
  ['between two of one order', [stage('A', 5), stage('C', 5)], 'A B C', 'A,B,C'],
  ['after all others without an existing neighbor', [stage('X', 10)], 'A B', 'X,A,B'],
])('adds a new stage %s', (_, known, names, expected) => {
  const described = names.split(' ').map((name, index) => stage(name, index * 10))
  expect(shown(known, described)).toBe(expected)
})

test('a stage moves only among stages of its kind', () => {
  const known = [stage('Permit', 10), stage('Install', 20), stage('Funded', 5, 'won')]
  const described = [
    stage('Permit', 0),
    stage('Funded', 10, 'won'),
    stage('Paid', 15, 'won'),
    stage('Inspect', 20),
  ]
  expect(shown(known, described)).toBe('Permit,Inspect,Install,Funded,Paid')
})

test('a stage moves only among stages of its pipeline', () => {
  const residential = ['Survey', 'Permit', 'Install'].map((name, index) => stage(name, index * 10))
  const commercial = ['Plan check', 'Permit', 'Crane', 'Install'].map((name, index) => ({
    ...stage(name, 1000 + index * 10),
    pipeline: 'commercial',
  }))
  const expected = 'Survey,Plan check,Permit,Crane,Install'
  expect(shown(residential, [...residential, ...commercial])).toBe(expected)
  expect(shown([], [...residential, ...commercial])).toBe(expected)
})

test('shifted stages keep their relative order', () => {
  const known = Array.from({ length: 30 }, (_, index) => stage(`K${index + 10}`, index))
  const described = known.flatMap((each) => [each, stage(`${each.name} new`, each.order)])
  const placed = described.map((each, index) => ({ ...each, order: index }))
  expect(shown(known, placed)).toBe(placed.map(({ name }) => name).join())
})

const stages = [stage('A', 0), stage('B', 10), stage('C', 11), stage('D', 11), stage('Paid', 5, 'won')]

test.each([
  ['up', { name: 'D', was: 'C', after: 'A', before: 'B' }, 'A,D,B,C,Paid'],
  ['down', { name: 'A', was: null, after: 'B', before: 'C' }, 'B,A,C,D,Paid'],
  ['to the top', { name: 'C', was: 'B', after: null, before: 'A' }, 'C,A,B,D,Paid'],
  ['to the end', { name: 'A', was: null, after: 'D', before: null }, 'B,C,D,A,Paid'],
  ['between two of one order', { name: 'A', was: null, after: 'C', before: 'D' }, 'B,C,A,D,Paid'],
  ['to its current position', { name: 'B', was: 'A', after: 'A', before: 'C' }, 'A,B,C,D,Paid'],
])('moves a stage %s', (_, move, expected) => {
  const orders = moveStage(stages, move)!
  const moved = stages.map((each) => ({ ...each, order: orders.get(each.name) ?? each.order }))
  expect(
    moved
      .toSorted(compareStages)
      .map(({ name }) => name)
      .join(),
  ).toBe(expected)
})

test('a move changes no other order value if there is room', () => {
  expect([...moveStage(stages, { name: 'D', was: 'C', after: 'A', before: 'B' })!]).toEqual([['D', 5]])
})

test('orders stay within their limit', () => {
  const full = [stage('A', 0), stage('B', orderMax)]
  expect([...moveStage(full, { name: 'A', was: null, after: 'B', before: null })!]).toEqual([
    ['B', 0],
    ['A', 10],
  ])
})

test.each([
  ['another stage came between', { name: 'D', was: 'C', after: 'A', before: 'C' }],
  ['the stage was moved', { name: 'D', was: 'B', after: 'A', before: 'B' }],
  ['a neighbor is of another kind', { name: 'A', was: null, after: 'Paid', before: null }],
  ['a neighbor is gone', { name: 'D', was: 'C', after: 'Gone', before: 'B' }],
  ['the stage is gone', { name: 'Gone', was: null, after: 'A', before: 'B' }],
  ['a stage is its own neighbor', { name: 'A', was: null, after: 'A', before: 'B' }],
])('a move is impossible if %s', (_, move) => {
  expect(moveStage(stages, move)).toBeNull()
})

/**
 * Returns the names of all stages in display order after these deals have arrived. Deals are written as
 * `stage:progress`.
 */
function shownWith(known: string[], ...deals: string[]): string {
  const stages = known.map((name, order): Stage => ({ name, order, ...classifyStage(name) }))
  const staged = deals.map((deal): StagedDeal => {
    const [name, progress] = deal.split(':') as [string, string]
    return { stage: name, progress: Number(progress) }
  })
  const { fresh, orders } = placeNewStages(stages, staged)
  return [...stages, ...fresh]
    .map((each) => ({ ...each, order: orders.get(each.name)! }))
    .toSorted(compareStages)
    .map(({ name }) => name)
    .join()
}

test.each([
  [
    'by their positions in the process, however few dates their deals have',
    [],
    ['Awaiting P.T.O.:0', 'Permit Submitted:4', 'Design:0', 'Site Assessment:1'],
    'Site Assessment,Design,Permit Submitted,Awaiting P.T.O.',
  ],
  [
    'with the same position by the dates of their deals',
    [],
    ['Install Scheduled:6.5', 'Crew assigned:6'],
    'Crew assigned,Install Scheduled',
  ],
  [
    'without a known position by the progress of their deals',
    [],
    ['Permit Submitted:5', 'Material ordered:6', 'Install Scheduled:6', 'Welcome Call:0', 'Site Survey:0.5'],
    'Welcome Call,Site Survey,Permit Submitted,Material ordered,Install Scheduled',
  ],
  [
    'without a known position after the step that their deals have begun',
    [],
    ['Site Survey:0', 'Handed over:0.5', 'CAD Design:1'],
    'Site Survey,Handed over,CAD Design',
  ],
  [
    'by the progress of most of their deals, even if dates are missing',
    [],
    ['Permit Submitted:5', 'Material:0', 'Material:6', 'Material:6', 'Material:0', 'CAD Design:1'],
    'CAD Design,Permit Submitted,Material',
  ],
  [
    'between existing stages, which keep their order',
    ['Install', 'Design', 'Survey'],
    ['Permit Submitted:5', 'Install Scheduled:6', 'Inspection:7'],
    'Install,Install Scheduled,Inspection,Design,Permit Submitted,Survey',
  ],
  [
    'next to an existing stage without a known position',
    ['On the roof', 'Survey'],
    ['On the roof:6.5', 'Inspection:7', 'Survey:0'],
    'On the roof,Inspection,Survey',
  ],
  ['last if nothing is known about the existing stages', ['In Progress'], ['Survey:0'], 'In Progress,Survey'],
  [
    'among stages of their kind',
    ['Survey', 'Funded'],
    ['Closed Won:9', 'Cancelled:3', 'Dead:1', 'Install:6'],
    'Survey,Install,Funded,Closed Won,Dead,Cancelled',
  ],
])('adds the new stages of deals %s', (_, known, deals, expected) => {
  expect(shownWith(known, ...deals)).toBe(expected)
})

test('new stages of deals keep existing orders, and leave room between each other', () => {
  const known: Stage[] = [{ name: 'Install', order: 70, ...classifyStage('Install') }]
  const { fresh, orders } = placeNewStages(known, [
    { stage: 'Install', progress: 6 },
    { stage: 'Site Assessment', progress: 0 },
    { stage: 'Inspection', progress: 7 },
  ])
  expect(orders.get('Install')).toBe(70)
  expect(fresh).toEqual([
    { name: 'Site Assessment', kind: 'open', place: 'survey', order: 34, tone: 'blue' },
    { name: 'Inspection', kind: 'open', place: 'inspection', order: 80, tone: 'green' },
  ])
})
