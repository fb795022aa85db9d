import { expect, test } from 'vitest'
import { demoDeals, demoPartners } from '#db/demo/demo.ts'
import { type SparseDeal, type SparsePartner, sparsePartners } from '#db/demo/sparse.ts'
import { type Deal, type DealField, dealFields } from '#server/deals/deal.ts'
import { dayMs } from '#server/values/units.ts'

const now = new Date('2026-03-05T18:20:00Z')
const [crm, names] = sparsePartners as [SparsePartner, SparsePartner]

const wholeOf = (partner: SparsePartner, asOf = now): Deal[] => [
  ...demoDeals({ partner, count: partner.deals, firstId: partner.firstId, now, asOf }),
]
const crmDeals = wholeOf(crm).map((whole) => ({ whole, ...crm.given(whole) }))

const fieldsOf = (kind: string) =>
  (Object.keys(dealFields) as DealField[]).filter((name) => dealFields[name].kind === kind)
const count = (holds: (deal: SparseDeal) => boolean) => crmDeals.filter(holds).length

test('two partners have deals with missing values and ids of their own', () => {
  expect(sparsePartners.map(({ deals }) => deals)).toEqual([150, 60])
  const firsts = [...demoPartners, ...sparsePartners].map(({ firstId }) => firstId)
  expect(firsts.every((id, index) => index === 0 || id - firsts[index - 1]! >= 1_000_000n)).toBe(true)
})

test('six of ten dates and all flags are missing in the CRM', () => {
  const known = crmDeals.flatMap(({ whole, record }) =>
    fieldsOf('time')
      .filter((name) => whole[name] !== null)
      .map((name) => record[name] != null),
  )
  const share = known.filter((isGiven) => !isGiven).length / known.length
  expect(Math.abs(share - 0.6)).toBeLessThan(0.05)
  for (const { record } of crmDeals)
    for (const name of fieldsOf('flag')) expect(record).not.toHaveProperty(name)
})

test('CRM values match the deal, except for its stage and a few errors', () => {
  const slips = crmDeals.flatMap(({ whole, record }) =>
    (Object.keys(record) as DealField[]).filter((name) => name !== 'stage' && record[name] !== whole[name]),
  )
  expect([...new Set(slips)].toSorted()).toEqual(['amount', 'systemSize', 'zipCode'])
  expect(slips.length).toBeLessThan(20)
  expect(count(({ record }) => record.amount === -5000)).toBeGreaterThan(0)
  expect(count(({ record }) => record.systemSize === '0')).toBeGreaterThan(0)
  expect(count(({ record }) => record.zipCode === '852011')).toBeGreaterThan(0)
})

test('some CRM stages have two spellings, and a few deals have no partner', () => {
  const spelled = new Set(crmDeals.map(({ record }) => record.stage!))
  const plain = (stage: string) => stage.toLowerCase().replaceAll(/[^a-z]/g, '')
  const twice = [...Map.groupBy(spelled, plain).values()].filter((spellings) => spellings.length > 1)
  expect(twice.length).toBeGreaterThan(2)
  const orphans = count(({ hasPartner }) => !hasPartner)
  expect(orphans).toBeGreaterThan(1)
  expect(orphans).toBeLessThan(15)
})

test('the CRM provides the same fields of a deal every day', () => {
  const before = new Map(wholeOf(crm, new Date(now.getTime() - 5 * dayMs)).map((whole) => [whole.id, whole]))
  expect(before.size).toBeGreaterThan(100)
  for (const { whole, record, hasPartner } of crmDeals) {
    const earlier = before.get(whole.id)
    if (earlier === undefined) continue
    expect(Object.keys(crm.given(earlier).record)).toEqual(Object.keys(record))
    expect(crm.given(earlier).hasPartner).toBe(hasPartner)
  }
})

test('the third source provides only names, stages and amounts', () => {
  for (const whole of wholeOf(names)) {
    const { id, dealname, stage, amount } = whole
    expect(names.given(whole)).toEqual({ record: { id, dealname, stage, amount }, hasPartner: true })
  }
})
