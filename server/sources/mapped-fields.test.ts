import { expect, test } from 'vitest'
import { propertiesByField, toMapping } from './mapped-fields.ts'

test.each([
  { mapping: { amount: 'total', city: 'town' }, partnerProperty: 'dealer' },
  { mapping: { amount: 'total' }, partnerProperty: null },
  { mapping: {}, partnerProperty: null },
])('a mapping split by field and recombined is the same: %j', (stored) => {
  expect(toMapping(propertiesByField(stored))).toEqual(stored)
})

test('an empty property removes a field', () => {
  expect(toMapping({ partner: '', amount: '', city: 'town' })).toEqual({
    mapping: { city: 'town' },
    partnerProperty: null,
  })
})
