import { personal, router, scoped } from '../access/procedure.ts'
import { notFound } from '../errors.ts'
import { Prepared } from '../values/prepared.ts'
import { assigneeProcedures } from './assignees/router.ts'
import type { KnownDeal } from './deal.ts'
import { readObserved } from './history-store.ts'
import { type Observed, notObserved } from './observed.ts'
import { dealOperations } from './operations.ts'
import { phoneProcedures } from './phones/router.ts'
import { readKnownDeal } from './store.ts'
import { GetDeal } from './wire.ts'

export const dealsRouter = router({
  ...dealOperations,
  ...assigneeProcedures,
  ...phoneProcedures,

  /** Returns the time up to which deals are current, or null if there is no source. */
  asOf: personal.query(({ ctx: { services } }) => services.asOf.get()),

  /**
   * Returns a deal and the times that the portal observed. Unlike the REST API, distinguishes false flags
   * from unknown ones.
   */
  show: scoped('deals:read')
    .input(GetDeal)
    .query(async ({ ctx: { db, actor }, input: { id } }) => {
      const [json, observed] = await Promise.all([
        readKnownDeal(db, actor.tenant, id),
        readObserved(db, actor.tenant, [id]),
      ])
      if (json === undefined) throw notFound('Deal')
      const times = JSON.stringify(observed.get(id) ?? notObserved)
      return new Prepared<KnownDeal & { observed: Observed }>(`${json.slice(0, -1)},"observed":${times}}`, '')
    }),
})
