import { expect, test } from 'vitest'
import { formatIn } from '#app/ui/format.ts'
import { type Deal, type DealField, type Person, dealFields } from '#server/deals/deal.ts'
import { utc } from '#server/values/zone.ts'
import { rawFields } from './[id]/fact-text.ts'
import { fieldText, fieldGroups, fieldLabels } from './fields.ts'

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

const maria = { id: 7n, firstName: 'Maria', lastName: 'Alvarez', email: 'maria@x.example' } as Person

test.each<[DealField, unknown, string | null]>([
  ['amount', 30800, '$30,800.00'],
  ['amount', 9007199254740993n, '$9,007,199,254,740,992.00'],
  ['totalPpw', 3.5, '$3.50'],
  ['adderPpw', '0.40', '$0.40'],
  ['loanAmount', 'about 30k', 'about 30k'],
  ['installedScheduled', '2026-04-08T15:00:00.000Z', 'Apr 8, 2026, 3:00 PM UTC'],
  ['hoaApprovedDate', '2026-02-11T00:00:00.000Z', 'Feb 11, 2026'],
  ['hasHoa', true, 'Yes'],
  ['hasHoa', false, 'No'],
  ['owner', maria, 'Maria Alvarez'],
  ['owner', { ...maria, firstName: null, lastName: '' }, 'maria@x.example'],
  ['owner', { ...maria, firstName: null, lastName: null, email: null }, 'Person 7'],
  ['notes', 'two\nlines', 'two\nlines'],
  ['notes', '', null],
  ['notes', null, null],
  ['numberOfModules', '22', '22'],
  ['id', 9223372036854775807n, '9223372036854775807'],
])('formats %s', (field, value, text) => {
  expect(
    fieldText(field, value, formatIn(utc))?.replaceAll(/\s/g, (space) => (space === '\n' ? '\n' : ' ')) ??
      null,
  ).toBe(text)
})

test('formats fields as the portal displays them', () => {
  expect(
    rawFields({
      id: 9223372036854775807n,
      dealname: '<b>',
      owner: { id: 7n, email: null },
      amount: null,
      hasHoa: false,
    } as unknown as Deal),
  ).toEqual([
    { name: 'id', text: '9223372036854775807' },
    { name: 'dealname', text: '<b>' },
    { name: 'owner.id', text: '7' },
    { name: 'owner.email', text: null },
    { name: 'amount', text: null },
    { name: 'hasHoa', text: 'false' },
  ])
})
