import { describe, expect, test } from 'vitest'
import { applyRecord, changesBetween, clearedFields, fillIn, isEventful } from './change.ts'
import { type Deal, type DealRecord, type Person, dealFields } from './deal.ts'
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
