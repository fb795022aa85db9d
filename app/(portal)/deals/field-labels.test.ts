import { expect, test } from 'vitest'
import { dealFields } from '#server/deals/deal.ts'
import { fieldGroups, fieldLabels } from './field-labels.ts'

test('each field has a unique label that the REST documentation also describes', () => {
  const kinds = Object.fromEntries(Object.entries(fieldLabels).map(([name, { kind }]) => [name, kind]))
  expect(kinds).toEqual(
    Object.fromEntries(Object.entries(dealFields).map(([name, { kind }]) => [name, kind])),
  )
  expect(new Set(Object.values(fieldLabels).map(({ label }) => label)).size).toBe(
    Object.keys(dealFields).length,
  )
})

test('each field belongs to exactly one group', () => {
  expect(fieldGroups.flatMap(({ fields }) => fields).toSorted()).toEqual(Object.keys(dealFields).toSorted())
})
