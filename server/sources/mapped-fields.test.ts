import { expect, test } from 'vitest'
import { propertiesByField, toMapping } from './mapped-fields.ts'

test.each([
  { mapping: { amount: 'total', city: 'town' }, partnerProperty: 'dealer' },
  { mapping: { amount: 'total' }, partnerProperty: null },
  { mapping: {}, partnerProperty: null },
])('a mapping split by field and recombined is unchanged, without empty fields: %j', (stored) => {
  expect(toMapping({ ...propertiesByField(stored), state: '' })).toEqual(stored)
})
