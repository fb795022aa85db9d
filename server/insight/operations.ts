import { z } from 'zod'
import { scoped } from '../access/procedure.ts'
import { flowReportOf, readFlow } from './flow/read-flow.ts'
import { FlowReport, GetFlow } from './flow/wire.ts'
import { readMoney, reportOf } from './money/read-money.ts'
import { MoneyReport } from './money/wire.ts'

/** REST operations for figures. */
export const insightOperations = {
  moneyReport: scoped('insight:read')
    .meta({
      isLong: true,
      openapi: {
        method: 'GET',
        path: '/api/insight/money',
        operationId: 'getMoney',
        tags: ['Insight'],
        summary: 'Get money figures',
        description:
          'Where the money of the deals is: count and dollars of the deals at each gate, by age and by what holds ' +
          'them, and what is expected next. The same figures as on the page Money of the portal, by the days of UTC.',
      },
    })
    .input(z.void())
    .output(MoneyReport)
    .query(async ({ ctx: { services, actor } }) => {
      const now = new Date()
      return reportOf(await readMoney(services, actor.tenant, actor.zone, now), now)
    }),

  flowReport: scoped('insight:read')
    .meta({
      isLong: true,
      openapi: {
        method: 'GET',
        path: '/api/insight/flow',
        operationId: 'getFlow',
        tags: ['Insight'],
        summary: 'Get flow figures',
        description:
          'How long each step between milestones takes, how many open deals are in it, and how far the deals of a ' +
          'period have come. The same figures as on the page Flow of the portal, by the days of UTC.',
      },
    })
    .input(GetFlow)
    .output(FlowReport)
    .query(async ({ ctx: { services, actor }, input: { months } }) => {
      const now = new Date()
      return flowReportOf(await readFlow(services, actor.tenant, actor.zone, now, months), now)
    }),
}
