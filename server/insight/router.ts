import { isInternal, partnerOf } from '../access/actor.ts'
import { router, scoped } from '../access/procedure.ts'
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
})
