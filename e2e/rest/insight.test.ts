import { writeDeals } from '#server/deals/deal-writer.ts'
import { ask } from './client.ts'
import { newIds } from './deals.ts'
import { expect, test } from './rest-test.ts'

// server/insight covers every figure. These tests check that partners can read the figures of their own
// deals.

const day = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()

test("reports contain only the partner's own deals, and reject unknown periods", async ({ system }) => {
  const [mine, other] = [await system.makePartner(), await system.makePartner()]
  for (const { id: partnerId } of [mine, other]) {
    const [first, second] = newIds(2)
    await writeDeals(
      system.db,
      [
        { id: first!, stage: 'Funding', installComplete: day(9), amount: 1000 },
        { id: second!, stage: 'Site Survey', createDate: day(9) },
      ].map((record) => ({ record, partnerId })),
      { now: new Date(), events: false },
    )
  }
  const money = await ask(system, 'GET /api/insight/money', { token: mine.token })
  expect(money.status).toBe(200)
  expect(money.json.gates.find(({ gate }: { gate: string }) => gate === 'submit')).toMatchObject({
    count: 1,
    amount: 1000,
    holds: [{ hold: 'submission', holder: 'postInstallProjectManager', count: 1, amount: 1000 }],
  })
  const flow = await ask(system, 'GET /api/insight/flow?months=6', { token: mine.token })
  expect(flow.status).toBe(200)
  expect(flow.json.steps[0]).toMatchObject({ step: 'survey', taken: { count: 0 }, waiting: 1 })
  expect((await ask(system, 'GET /api/insight/flow?months=5', { token: mine.token })).status).toBe(400)
})
