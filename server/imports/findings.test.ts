import { expect, test } from 'vitest'
import { decide } from '../deals/change.ts'
import type { DealRecord } from '../deals/deal.ts'
import { renderDeal } from '../deals/render.ts'
import { WarningTally, warningText } from './findings.ts'

const now = new Date('2026-03-01T12:00:00Z')

/** Returns the warnings about records in line order, given these `stored` deals. */
function warningsOf(records: DealRecord[], stored: DealRecord[] = []) {
  const tally = new WarningTally(now)
  for (const [index, record] of records.entries()) {
    const previous = stored.find(({ id }) => id === record.id)
    const before = previous && {
      partnerId: 1,
      json: renderDeal(previous),
      isCurrent: true,
      given: null,
      version: '1',
    }
    const { change } = decide({ record, partnerId: 1 }, before)
    if (change !== undefined) tally.add(index + 2, change)
  }
  return tally.all()
}

const fine = { dealname: 'Lopez', stage: 'NTP' }

test('counts implausible values by kind, each with the first deal and its value', () => {
  const warnings = warningsOf([
    { id: 1n, ...fine, zipCode: '85201' },
    { id: 2n, ...fine, zipCode: '852011', amount: -5000 },
    { id: 3n, ...fine, zipCode: '8520' },
    { id: 4n, ...fine, permitReceived: '1970-01-01T00:00:00.000Z' },
  ])
  expect(warnings).toEqual([
    {
      kind: 'amountOutOfRange',
      count: 1,
      line: 3,
      id: '2',
      name: 'Lopez',
      fields: [{ field: 'amount', json: '-5000' }],
    },
    {
      kind: 'malformedZip',
      count: 2,
      line: 3,
      id: '2',
      name: 'Lopez',
      fields: [{ field: 'zipCode', json: '"852011"' }],
    },
    {
      kind: 'dateOutOfRange',
      count: 1,
      line: 5,
      id: '4',
      name: 'Lopez',
      fields: [{ field: 'permitReceived', json: '"1970-01-01T00:00:00.000Z"' }],
    },
  ])
  expect(warnings.map(warningText)).toEqual([
    'Amount negative or very large: deal 2 on line 3: amount -5000',
    'Malformed ZIP code: 2 deals, first deal 2 on line 3: zipCode "852011"',
    'Date in the distant past or future: deal 4 on line 5: permitReceived "1970-01-01T00:00:00.000Z"',
  ])
})

test('warns about a stored value only if the file changes it', () => {
  const stored = { id: 1n, ...fine, zipCode: '852011' }
  expect(warningsOf([{ id: 1n, stage: 'Permit' }], [stored])).toEqual([])
  expect(warningsOf([{ id: 1n, zipCode: '852012' }], [stored])).toMatchObject([{ kind: 'malformedZip' }])
  expect(warningsOf([{ id: 1n, installCompleted: true }], [stored])).toMatchObject([
    { kind: 'installWithoutDate' },
  ])
})

test('warns about a new deal without a name or stage, but not about an update', () => {
  const kindsOf = (record: DealRecord, stored: DealRecord[] = []) =>
    warningsOf([record], stored).map(({ kind }) => kind)
  expect(kindsOf({ id: 1n })).toEqual(['noName', 'noStage'])
  expect(kindsOf({ id: 1n, dealname: ' ', stage: '' })).toEqual(['noName', 'noStage'])
  expect(kindsOf({ id: 1n, lastName: 'Lopez', stage: 'NTP' })).toEqual([])
  expect(kindsOf({ id: 1n, city: 'Mesa' }, [{ id: 1n }])).toEqual([])
})
