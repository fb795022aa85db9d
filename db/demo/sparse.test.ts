import { expect, test } from 'vitest'
import { demoDeals, demoPartners } from '#db/demo/demo.ts'
import { type SparseDeal, type SparsePartner, sparsePartners } from '#db/demo/sparse.ts'
import { type Deal, type DealField, dealFields } from '#server/deals/deal.ts'
import { dayMs } from '#server/values/units.ts'

const now = new Date('2026-03-05T18:20:00Z')
const [crm, names] = sparsePartners as [SparsePartner, SparsePartner]

const wholeOf = (partner: SparsePartner, day = now, asOf = day): Deal[] => [
  ...demoDeals({ partner, count: partner.deals, firstId: partner.firstId, now: day, asOf }),
]

// Other days too, so that no rule depends on one.
const dates = [now, new Date('2026-11-25T12:00:00Z'), new Date('2028-02-29T00:00:00Z')]
const crmDeals = dates.map((day) => wholeOf(crm, day).map((whole) => ({ whole, ...crm.given(whole) })))

const fieldsOf = (kind: string) =>
  (Object.keys(dealFields) as DealField[]).filter((name) => dealFields[name].kind === kind)
const count = (deals: SparseDeal[], holds: (deal: SparseDeal) => boolean) => deals.filter(holds).length

test('two partners have deals with gaps, under their own ids', () => {
  expect(sparsePartners.map(({ deals }) => deals)).toEqual([150, 60])
  const all = [...demoPartners, ...sparsePartners]
  expect(new Set(all.map(({ slug }) => slug)).size).toBe(all.length)
  const firsts = all.map(({ firstId }) => firstId)
  expect(firsts.every((id, index) => index === 0 || id - firsts[index - 1]! >= 1_000_000n)).toBe(true)
})

test.each(crmDeals)('six of ten dates are missing in the CRM, and no flag is given', (...deals) => {
  let [known, given] = [0, 0]
  for (const { whole, record } of deals) {
    for (const name of fieldsOf('time')) {
      if (whole[name] === null) continue
      known += 1
      if (record[name] != null) given += 1
    }
    for (const name of fieldsOf('flag')) expect(record).not.toHaveProperty(name)
  }
  expect(1 - given / known).toBeGreaterThan(0.55)
  expect(1 - given / known).toBeLessThan(0.65)
})

test.each(crmDeals)('CRM values match the deal, apart from its stage and a few errors', (...deals) => {
  const slips = deals.flatMap(({ whole, record }) =>
    (Object.keys(record) as DealField[]).filter((name) => name !== 'stage' && record[name] !== whole[name]),
  )
  expect([...new Set(slips)].toSorted()).toEqual(['amount', 'systemSize', 'zipCode'])
  expect(slips.length).toBeLessThan(20)
  expect(count(deals, ({ record }) => record.amount === -5000)).toBeGreaterThan(0)
  expect(count(deals, ({ record }) => record.systemSize === '0')).toBeGreaterThan(0)
  expect(count(deals, ({ record }) => record.zipCode === '852011')).toBeGreaterThan(0)
})

test.each(crmDeals)(
  'some stages of the CRM are spelled two ways, and a few deals have no partner',
  (...deals) => {
    const spelled = new Set(deals.map(({ record }) => record.stage!))
    const plain = (stage: string) => stage.toLowerCase().replaceAll(/[^a-z]/g, '')
    const twice = [...Map.groupBy(spelled, plain).values()].filter((spellings) => spellings.length > 1)
    expect(twice.length).toBeGreaterThan(2)
    expect(spelled).toContain('Permit Submitted')
    expect(spelled).toContain('Closed Won')
    const orphans = count(deals, ({ hasPartner }) => !hasPartner)
    expect(orphans).toBeGreaterThan(1)
    expect(orphans).toBeLessThan(15)
  },
)

test('the CRM provides the same fields of a deal on every day', () => {
  const before = new Map(
    wholeOf(crm, now, new Date(now.getTime() - 5 * dayMs)).map((whole) => [whole.id, crm.given(whole)]),
  )
  for (const { id, record, hasPartner } of crmDeals[0]!.map(({ whole, ...given }) => ({
    id: whole.id,
    ...given,
  }))) {
    const earlier = before.get(id)
    if (earlier === undefined) continue
    expect(Object.keys(earlier.record)).toEqual(Object.keys(record))
    expect(earlier.hasPartner).toBe(hasPartner)
  }
  expect(before.size).toBeGreaterThan(100)
})

test('the third source only provides names, stages and amounts', () => {
  for (const whole of wholeOf(names)) {
    const { id, dealname, stage, amount } = whole
    expect(names.given(whole)).toEqual({ record: { id, dealname, stage, amount }, hasPartner: true })
  }
})
