import { expect, test } from 'vitest'
import { type KnownDeal, dealFields } from '#server/deals/deal.ts'
import type { MilestoneName } from '#server/deals/milestone.ts'
import { statusOf, stepsOf } from '#server/deals/status.ts'
import type { ExpectedFigure } from '#server/insight/wire.ts'
import { classifyStage } from '#server/stages/stage.ts'
import { namedDeals, unpaidFilter } from './named-deals.ts'

const blank = Object.fromEntries(Object.keys(dealFields).map((name) => [name, null])) as unknown as KnownDeal

test.each([
  ['Install Scheduled', false],
  ['Installed', true],
  ['Funding', true],
  // M2 may or may not be approved.
  ['Awaiting PTO', true],
])('a deal known only by the stage %s counts as installed: %j', (stage, isBuilt) => {
  const { done } = statusOf({ ...blank, stage }, classifyStage(stage), Date.parse('2026-03-15'))
  const { done: wanted } = unpaidFilter as { done: MilestoneName[] }
  expect((done & stepsOf(wanted)) !== 0).toBe(isBuilt)
})

test('Money lists the deals with overdue payments, or all unpaid deals if no payment is overdue', () => {
  const payment = (period: string, count: number) =>
    ({ name: 'payment', period, count, filter: { gates: ['pay'] } }) as ExpectedFigure
  const install = { ...payment('overdue', 3), name: 'install' } as ExpectedFigure
  expect(namedDeals([install, payment('overdue', 2), payment('thisWeek', 1)])).toEqual({
    title: 'Overdue payments',
    filter: { gates: ['pay'] },
  })
  expect(namedDeals([install, payment('overdue', 0), payment('thisWeek', 1)]).filter).toBe(unpaidFilter)
  expect(namedDeals([]).filter).toBe(unpaidFilter)
})
