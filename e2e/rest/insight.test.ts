import { writeDeals } from '#server/deals/deal-writer.ts'
import type { FlowReport } from '#server/insight/flow/wire.ts'
import type { MoneyReport } from '#server/insight/money/wire.ts'
import { ask } from './client.ts'
import { expect, test } from './rest-test.ts'

const day = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()

test('the money report covers only own deals, by gate, age and hold', async ({ system }) => {
  const [mine, other] = [await system.makePartner(), await system.makePartner()]
  for (const { id: partnerId, first } of [
    { ...mine, first: 5000n },
    { ...other, first: 6000n },
  ])
    await writeDeals(
      system.db,
      [
        { id: first, stage: 'Funding', installComplete: day(9), amount: 1000 },
        { id: first + 1n, stage: 'Inspection', installComplete: day(1), amount: 500 },
        { id: first + 2n, stage: 'M2 Approval', fundingSubmitted: day(70), amount: 20 },
        { id: first + 3n, stage: 'Cancelled', installComplete: day(9), amount: 7 },
        { id: first + 4n, stage: 'Funded', timeInCurrentStage: day(20), amount: 3 },
        { id: first + 5n, stage: 'On Hold' },
      ].map((record) => ({ record, partnerId })),
      { now: new Date(), events: false },
    )
  const { status, json } = await ask(system, 'GET /api/insight/money', { token: mine.token })
  expect(status).toBe(200)
  const { gates, expected, notExpected, unpriced, asOf, today } = json as MoneyReport
  expect(gates.map(({ gate, count, amount }) => [gate, count, amount])).toEqual([
    ['m1', 0, 0],
    ['install', 0, 0],
    ['submit', 2, 1500],
    ['approve', 1, 20],
    ['pay', 0, 0],
    ['unknown', 1, 0],
    ['paid', 1, 3],
  ])
  const [, , submit, approve, , , paid] = gates
  const told = ({ ages }: (typeof gates)[number]) =>
    ages.filter(({ count }) => count > 0).map(({ days, count, amount }) => [days, count, amount])
  expect(told(submit!)).toEqual([
    ['0-7', 1, 500],
    ['8-14', 1, 1000],
  ])
  expect(told(approve!)).toEqual([['over-60', 1, 20]])
  expect(told(paid!)).toEqual([['15-30', 1, 3]])
  expect(submit!.holds).toEqual([
    { hold: 'inspection', holder: 'postInstallProjectManager', count: 1, amount: 500 },
    { hold: 'submission', holder: 'postInstallProjectManager', count: 1, amount: 1000 },
  ])
  // No usual duration is known yet, and nothing is scheduled.
  expect([...new Set(expected.map(({ what, certainty, count }) => `${what} ${certainty} ${count}`))]).toEqual(
    ['install scheduled 0'],
  )
  expect(notExpected.find(({ what }) => what === 'onHold')).toEqual({ what: 'onHold', count: 1, amount: 0 })
  expect(unpriced).toBe(1)
  expect(expected[0]).toMatchObject({ period: 'overdue', from: null })
  expect(expected.at(-1)).toMatchObject({ period: 'after', to: null })
  expect(asOf.slice(0, 10)).toBe(today)
})

test('the flow report returns step durations of own deals, and rejects other periods', async ({ system }) => {
  const [mine, other] = [await system.makePartner(), await system.makePartner()]
  for (const { id: partnerId, first } of [
    { ...mine, first: 7000n },
    { ...other, first: 8000n },
  ])
    await writeDeals(
      system.db,
      [
        ...[2, 4, 6, 8, 10].map((days, index) => ({
          id: first + BigInt(index),
          stage: 'CAD Design',
          createDate: day(20 + days),
          siteSurveyCompleted: day(20),
        })),
        { id: first + 5n, stage: 'Site Survey', createDate: day(9) },
        { id: first + 6n, createDate: day(8), siteSurveyRequested: day(7), stage: 'Cancelled' },
        { id: first + 7n, createDate: day(8), stage: 'Cancelled' },
        { id: first + 8n, stage: 'In Progress', permitReceived: day(2) },
      ].map((record) => ({ record, partnerId })),
      { now: new Date(), events: false },
    )
  const { status, json } = await ask(system, 'GET /api/insight/flow?months=6', { token: mine.token })
  expect(status).toBe(200)
  const { steps, reached, leftOut } = json as FlowReport
  expect(steps[0]).toMatchObject({
    step: 'survey',
    taken: { count: 5, median: 6, slow: 8 },
    previous: { count: 0, median: null, slow: null },
    waiting: 1,
    slower: 1,
  })
  expect(steps[1]).toMatchObject({ step: 'cad', taken: { count: 0 }, waiting: 5, slower: null })
  expect(steps[0]!.months).toHaveLength(24)
  expect(reached.slice(0, 3)).toEqual([
    { reach: 'created', count: 7, open: 1, lost: 1 },
    { reach: 'survey', count: 5, open: 5, lost: 0 },
    { reach: 'cad', count: 0, open: 0, lost: 0 },
  ])
  expect(leftOut).toEqual({ undated: 1, stepNotKnown: 1, notCreated: 1, reachNotKnown: 1 })
  const refused = await ask(system, 'GET /api/insight/flow?months=5', { token: mine.token })
  expect(refused.status).toBe(400)
})
