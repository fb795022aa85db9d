import { expect, test } from 'vitest'
import type { Deal, Person } from '#server/deals/deal.ts'
import { fileColumns } from './cells.ts'

const nowMs = Date.parse('2026-03-02T00:00:00Z')
const person = (values: Partial<Person>) =>
  ({ id: 1n, firstName: null, lastName: null, email: null, ...values }) as Person
const deal = {
  id: 9_223_372_036_854_775_807n,
  dealname: 'A, "B"\n=1',
  streetAddress: '1 Palm Ln',
  city: 'Phoenix',
  state: 'AZ',
  zipCode: null,
  amount: 0.5,
  systemSize: null,
  hasHoa: true,
  hasBattery: false,
  lastModified: '2026-03-01T17:20:05.000Z',
  owner: null,
  projectManager: person({ firstName: 'Maria', lastName: 'Alvarez' }),
  ixCoordinator: person({ email: 'm@x.example' }),
  permitCoordinator: person({}),
  permitSubmitted: '2026-02-20T16:00:00.000Z',
} as Partial<Deal> as Deal

test('the columns on the screen are there in their order, as people read them in a spreadsheet', () => {
  expect(
    fileColumns(
      [
        'dealname',
        'milestone',
        'amount',
        'systemSize',
        'hasHoa',
        'hasBattery',
        'lastModified',
        'owner',
        'projectManager',
        'ixCoordinator',
        'permitCoordinator',
        'id',
      ],
      nowMs,
    ).map(({ cell }) => cell(deal)),
  ).toEqual([
    'A, "B"\n=1',
    '1 Palm Ln, Phoenix, AZ',
    'Permit submitted 2026-02-20',
    '0.5',
    '',
    'yes',
    'no',
    '2026-03-01 17:20',
    '',
    'Maria Alvarez',
    'm@x.example',
    '',
    '9223372036854775807',
  ])
})

test('all columns are all 88 fields, each with a title of its own', () => {
  const titles = fileColumns('all', nowMs).map(({ title }) => title)
  expect(titles).toHaveLength(88)
  expect(new Set(titles).size).toBe(88)
})
