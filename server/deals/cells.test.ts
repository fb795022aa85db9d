import { expect, test } from 'vitest'
import { cellsOf } from './cells.ts'
import type { Deal, DealField, Person } from './deal.ts'

const cells = (values: Partial<Deal>) => cellsOf(values as Deal, Object.keys(values) as DealField[])
const person = (values: Partial<Person>) => ({ id: 1n, firstName: null, lastName: null, email: null, ...values }) as Person

test('the cells of a deal are what people read in a spreadsheet', () => {
  expect(cells({
    id: 9_223_372_036_854_775_807n, dealname: 'A, "B"\n=1', amount: 0.5, systemSize: null, hasHoa: true, hasBattery: false, lastModified: '2026-03-01T17:20:05.000Z', owner: null,
  })).toEqual(['9223372036854775807', 'A, "B"\n=1', '0.5', '', 'yes', 'no', '2026-03-01 17:20', ''])
})

test('a person is there by name, or by address', () => {
  expect(cells({ owner: person({ firstName: 'Maria', lastName: 'Alvarez', email: 'm@x.example' }), projectManager: person({ lastName: 'Alvarez' }), ixCoordinator: person({ email: 'm@x.example' }), permitCoordinator: person({}) }))
    .toEqual(['Maria Alvarez', 'Alvarez', 'm@x.example', ''])
})
