import { z } from 'zod'
import { isInternal, partnerOf } from '../access/actor.ts'
import { router, scoped } from '../access/procedure.ts'
import { readMoney, reportOf } from './money/read-money.ts'
import { type MoneyFigures, MoneyReport } from './money/wire.ts'
import { readNews, readStanding } from './read-overview.ts'
import type { Overview } from './wire.ts'

export const insightRouter = router({
  /** Returns the overview with the news. */
  overview: scoped('deals:read').query(async ({ ctx: { services, db, actor } }): Promise<Overview> => {
    const now = new Date()
    const [standing, news] = await Promise.all([
      readStanding(services, actor.reach, actor.zone, now),
      isInternal(actor) ? null : readNews(db, partnerOf(actor), actor.user?.id ?? null, now),
    ])
    return { ...standing, news }
  }),

  /** Returns the figures of money. */
  money: scoped('deals:read').query(({ ctx: { services, actor } }): Promise<MoneyFigures> =>
    readMoney(services, actor.reach, actor.zone, new Date()),
  ),

  moneyReport: scoped('insight:read')
    .meta({
      openapi: {
        method: 'GET',
        path: '/api/insight/money',
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
      return reportOf(await readMoney(services, actor.reach, actor.zone, now), now)
    }),
})
