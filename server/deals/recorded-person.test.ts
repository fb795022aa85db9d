import { expect, test } from 'vitest'
import type { DealRecord, Person } from './deal.ts'
import { personOf, withKnownPeople } from './recorded-person.ts'

const person = (values: object) => values as Person
const stored = {
  owner: person({ id: 5n, email: 'Maria@x.example', firstName: 'Maria', lastName: 'Alvarez' }),
}
const given = (name: string, email: string | null) =>
  ({ id: 1n, owner: person(personOf({ name, email })) }) as DealRecord

test('creates a person from name and e-mail address, with its own id', () => {
  expect(personOf({ name: ' Maria  del Mar Alvarez ', email: 'm@x.example' })).toEqual({
    id: expect.any(BigInt),
    email: 'm@x.example',
    firstName: 'Maria del Mar',
    lastName: 'Alvarez',
  })
  const id = (name: string, email: string | null) => personOf({ name, email }).id
  expect(id('Maria', 'm@x.example')).toBe(id('M. Alvarez', 'M@X.example'))
  expect(id('Maria', null)).not.toBe(id('Ana', null))
  expect(id('Maria', null) < 0n && id('Maria', null) >= -(2n ** 63n)).toBe(true)
  expect(personOf({ name: '', email: 'm@x.example' })).toMatchObject({ firstName: null, lastName: null })
})

test.each([
  ['Maria Alvarez', 'maria@x.example', true],
  ['', 'maria@x.example', true],
  ['Maria Alvarez', null, true],
  ['Maria Lopez', 'maria@x.example', false],
  ['Maria Alvarez', 'other@x.example', false],
])('%s with the e-mail address %s is the stored person: %s', (name, email, isSame) => {
  const record = given(name, email)
  expect(withKnownPeople(stored, record).owner).toEqual(isSame ? stored.owner : record.owner)
})

test('an id identifies the person', () => {
  const record = { id: 1n, owner: person({ ...stored.owner, id: -7n }) } as DealRecord
  expect(withKnownPeople(stored, record)).toBe(record)
  expect(withKnownPeople({ owner: null }, given('Ana', null))).toEqual(given('Ana', null))
})

test('recognizes a stored person by a name with a comma, or by an e-mail address in the name', () => {
  const ofStored = (owner: object) =>
    ({ id: 5n, email: null, firstName: null, lastName: null, ...owner }) as Person
  for (const [owner, text] of [
    [ofStored({ firstName: 'Acme,', lastName: 'West' }), 'Acme, West'],
    [ofStored({ firstName: 'Maria', lastName: 'Alvarez' }), 'Alvarez, Maria'],
    [ofStored({ email: 'm@x.example' }), 'm@x.example'],
  ] as const) {
    const record = { id: 1n, owner: personOf({ name: text, email: null }) as Person }
    expect(withKnownPeople({ owner }, record).owner).toBe(owner)
  }
})

test.each([
  ['Pat Lee <pat@acme.example>', null],
  ['Pat Lee (pat@acme.example)', null],
  ['Pat Lee [mailto:pat@acme.example]', null],
  ['Pat Lee', 'mailto:pat@acme.example'],
  ['Pat Lee', 'Pat Lee <pat@acme.example>'],
])('reads %s with the e-mail address %s as Pat Lee', (name, email) =>
  expect(personOf({ name, email })).toEqual(personOf({ name: 'Pat Lee', email: 'pat@acme.example' })),
)
