import { describe, expect, test } from 'vitest'
import { dealFields } from '#server/deals/deal.ts'
import { columnName, dealsTable, personsTable, rowsOf } from './tables.ts'

const none = Object.fromEntries(
  Object.entries(dealFields).map(([name, { kind }]) => [name, kind === 'flag' ? false : null]),
)
const deal = (values: object) => ({ ...none, id: 1, ...values })

/** Returns the cells that are neither unknown nor false. */
function known(values: object) {
  const { deal: cells } = rowsOf(deal(values))
  const entries = dealsTable.columns.map(({ name }, index) => [name, cells[index]] as const)
  return Object.fromEntries(entries.filter(([, cell]) => cell !== null && cell !== 'false'))
}

test('names columns in snake case', () => {
  expect(
    ['dealname', 'hicAgreement', 'designToolAProjectId', 'm2Approved', 'nameOnUb'].map(columnName),
  ).toEqual(['dealname', 'hic_agreement', 'design_tool_a_project_id', 'm2_approved', 'name_on_ub'])
  expect(new Set(dealsTable.columns.map(({ name }) => name)).size).toBe(dealsTable.columns.length)
})

describe('a deal in the copied tables', () => {
  test('becomes one row of exact values as text', () => {
    expect(
      known({
        id: '9007199254740993',
        dealname: ' O\'Hara, "Ann"\n',
        amount: 30_800.55,
        totalPpw: 0.1,
        hasHoa: true,
        lastModified: '2026-03-01T17:20:05.001Z',
        city: '',
      }),
    ).toEqual({
      id: '9007199254740993',
      dealname: ' O\'Hara, "Ann"\n',
      amount: '30800.55',
      total_ppw: '0.1',
      has_hoa: 'true',
      last_modified: '2026-03-01T17:20:05.001Z',
      city: '',
    })
  })

  test('gets one row for each of its people', () => {
    const person = { id: '9007199254740995', userId: 7, email: 'm@x.example', firstName: 'Maria' }
    const { persons } = rowsOf(deal({ owner: person, permitCoordinator: { ...person, id: 2 } }))
    const cells = (row: (string | null)[]) =>
      Object.fromEntries(
        personsTable.columns.map(({ name }, index) => [name, row[index]]).filter(([, cell]) => cell !== null),
      )
    expect(persons.map(cells)).toEqual([
      {
        deal_id: '1',
        role: 'owner',
        person_id: '9007199254740995',
        user_id: '7',
        email: 'm@x.example',
        first_name: 'Maria',
      },
      {
        deal_id: '1',
        role: 'permit_coordinator',
        person_id: '2',
        user_id: '7',
        email: 'm@x.example',
        first_name: 'Maria',
      },
    ])
  })

  test.each([
    ['a field added later', { solarScore: { a: [1] } }],
    ['an amount too large for databases', { amount: 1e70 }],
    ['a time in a year that databases do not support', { createDate: '0000-01-01T00:00:00.000Z' }],
    ['a value of the wrong type', { city: 5 }],
    ['a text that databases cannot store', { notes: 'a\0b' }],
  ])('keeps %s as JSON', (_, values) => {
    expect(known({ ...values, stage: 'Permit' })).toEqual({
      id: '1',
      stage: 'Permit',
      extra: JSON.stringify(values),
    })
  })
})
