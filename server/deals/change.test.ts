import { expect, test, describe } from 'vitest'
import {
  personOf,
  withKnownPeople,
  applyRecord,
  changesBetween,
  clearedFields,
  fillIn,
  isEventful,
} from './change.ts'
import { type DealRecord, type Person, type Deal, dealFields } from './deal.ts'
import { parseDeal, renderDeal } from './render.ts'

function makeDeal(fields: Partial<Deal> = {}): Deal {
  return parseDeal(renderDeal({ id: 1n, ...fields }))
}

const maria: Person = {
  id: 41_203n,
  userId: 7n,
  email: 'maria@example.com',
  firstName: 'Maria',
  lastName: 'Alvarez',
  teams: null,
  crmTeamId: null,
  createdAt: '2023-04-11T15:02:44.000Z',
  updatedAt: null,
}

test('reports the fields that lose a value', () => {
  const stored = makeDeal({ stage: 'a', notes: 'b', hasHoa: true, m2Approved: true, amount: 5, owner: maria })
  const clearedBy = (record: Omit<DealRecord, 'id'>, apply = applyRecord) => {
    const given = { id: stored.id, ...record }
    return clearedFields(given, changesBetween(stored, parseDeal(renderDeal(apply(stored, given)))))
  }
  const record = { stage: null, notes: 'c', hasHoa: null, m2Approved: false, amount: null }
  expect(clearedBy(record)).toEqual(['stage', 'amount', 'hasHoa'])
  expect(clearedBy(record, fillIn)).toEqual([])
  expect(clearedBy({ owner: null })).toEqual(['owner'])
  expect(clearedBy({ owner: { ...maria, email: null } })).toEqual(['owner'])
  expect(clearedBy({ owner: { ...maria, firstName: 'Mary' } })).toEqual([])
  expect(clearedBy({ owner: { ...maria, id: 5n, email: null } })).toEqual([])
})

/** Returns the deal after the record has been applied to it. */
function after(stored: Deal, record: Omit<DealRecord, 'id'>): Deal {
  return parseDeal(renderDeal(applyRecord(stored, { id: stored.id, ...record })))
}

describe('applying a record', () => {
  const stored = makeDeal({
    stage: 'NTP Review',
    notes: 'Gate code',
    amount: 5,
    hasHoa: true,
    owner: maria,
    lastModified: '2026-03-01T17:20:05.000Z',
  })

  test('keeps fields that the record omits', () => {
    expect(after(stored, {})).toEqual(stored)
    expect(after(stored, { stage: 'Permit' })).toEqual({ ...stored, stage: 'Permit' })
  })

  test('clears fields that are null in the record, except flags, which become false', () => {
    expect(
      after(stored, { stage: null, amount: null, owner: null, lastModified: null, hasHoa: null }),
    ).toEqual({ ...stored, stage: null, amount: null, owner: null, lastModified: null, hasHoa: false })
  })

  test('replaces a person completely', () => {
    const { owner } = after(stored, { owner: { id: 5n, email: 'new@example.com' } as Person })
    expect(owner).toEqual({
      id: 5n,
      userId: null,
      email: 'new@example.com',
      firstName: null,
      lastName: null,
      teams: null,
      crmTeamId: null,
      createdAt: null,
      updatedAt: null,
    })
  })
})

describe('the changes of a deal', () => {
  test('are empty if it is compared with itself', () => {
    expect(changesBetween(makeDeal({ owner: maria }), makeDeal({ owner: maria }))).toEqual([])
  })

  test('list a field with its old and new value as JSON', () => {
    expect(changesBetween(makeDeal({ stage: 'NTP "Review"' }), makeDeal({ stage: null }))).toEqual([
      { field: 'stage', from: '"NTP \\"Review\\""', to: 'null' },
    ])
    expect(changesBetween(makeDeal(), makeDeal({ amount: 0.5 }))).toEqual([
      { field: 'amount', from: 'null', to: '0.5' },
    ])
    expect(changesBetween(makeDeal({ hasHoa: true }), makeDeal())).toEqual([
      { field: 'hasHoa', from: 'true', to: 'false' },
    ])
  })

  test('list a person as one field, complete before and after', () => {
    const [change, ...more] = changesBetween(
      makeDeal({ owner: maria }),
      makeDeal({ owner: { ...maria, email: 'm@example.com' } }),
    )
    expect(more).toEqual([])
    expect(change!.field).toBe('owner')
    expect(JSON.parse(change!.from)).toEqual({ ...maria, id: 41_203, userId: 7 })
    expect(JSON.parse(change!.to)).toEqual({ ...maria, id: 41_203, userId: 7, email: 'm@example.com' })
  })

  test('ignore a missing flag that becomes false', () => {
    expect(changesBetween(makeDeal(), { id: 1n, hasHoa: false })).toEqual([])
    expect(changesBetween(makeDeal(), { id: 1n, hasHoa: null })).toEqual([])
  })

  test('treat 0 and -0 as equal', () => {
    expect(changesBetween(makeDeal({ amount: 0 }), { ...makeDeal(), amount: -0 })).toEqual([])
  })
})

describe('an event is created', () => {
  const change = (field: keyof typeof dealFields) => ({ field, from: 'null', to: '"x"' }) as const

  test('for a change to any field but lastModified and timeInCurrentStage', () => {
    for (const name of Object.keys(dealFields) as (keyof typeof dealFields)[]) {
      expect(isEventful([change(name)]), name).toBe(name !== 'lastModified' && name !== 'timeInCurrentStage')
    }
  })

  test('for changes that include another field', () => {
    const silent = [change('lastModified'), change('timeInCurrentStage')]
    expect([isEventful([]), isEventful(silent), isEventful([change('stage'), ...silent])]).toEqual([
      false,
      false,
      true,
    ])
  })
})

const person = (values: object) => values as Person
const stored = {
  owner: person({ id: 5n, email: 'Maria@x.example', firstName: 'Maria', lastName: 'Alvarez' }),
}
const ownedBy = (name: string, email: string | null) =>
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
  const record = ownedBy(name, email)
  expect(withKnownPeople(stored, record).owner).toEqual(isSame ? stored.owner : record.owner)
})

test('an id identifies the person', () => {
  const record = { id: 1n, owner: person({ ...stored.owner, id: -7n }) } as DealRecord
  expect(withKnownPeople(stored, record)).toBe(record)
  expect(withKnownPeople({ owner: null }, ownedBy('Ana', null))).toEqual(ownedBy('Ana', null))
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
