import { z } from 'zod'
import type { Database } from '#db/client.ts'
import { forPartnerManagers, router } from '../../access/procedure.ts'
import type { PartnerId } from '../../accounts/partner.ts'
import { readDealNames } from '../../deals/name-store.ts'
import { ApiError } from '../../errors.ts'
import { acceptable, changeSubscription, found } from './actions.ts'
import { type Period, listLookedAt, lookBack } from './look-back-store.ts'
import { subscriptionOperations } from './operations.ts'
import { readSubscription } from './store.ts'
import {
  EditSubscription,
  ListLookedAt,
  LookBackInput,
  subscribedBy,
  subscribedEventsOf,
  wireSubscription,
} from './wire.ts'

export const subscriptionsRouter = router({
  ...subscriptionOperations,

  /** Changes a subscription, in the portal. */
  edit: forPartnerManagers.input(EditSubscription).mutation(async ({ ctx, input: { id, ...input } }) => {
    const subscription = await acceptable(ctx.services, input)
    return wireSubscription(await changeSubscription(ctx, ctx.partnerId, id, subscription))
  }),

  /** Counts what a filter would have sent in the last days, or a subscription since its filter was set. */
  lookBack: forPartnerManagers
    .meta({ isLong: true })
    .input(LookBackInput)
    .query(async ({ ctx: { db, partnerId }, input }) => {
      const { subscribed, problems, period } = await lookedBackAt(db, partnerId, input)
      const counts = problems.length > 0 ? null : await lookBack(db, partnerId, subscribed, period)
      return { problems, counts }
    }),

  /** Returns a page of the events behind these counts, newest first. */
  lookedAt: forPartnerManagers
    .meta({ isLong: true })
    .input(ListLookedAt)
    .query(async ({ ctx: { db, partnerId }, input: { isSent, cursor, limit, ...choice } }) => {
      const { subscribed, problems, period } = await lookedBackAt(db, partnerId, choice)
      if (problems.length > 0)
        throw new ApiError('BAD_REQUEST', 'The filter cannot be used', { errors: problems })
      const page = { isSent, before: cursor ?? null, limit: limit + 1 }
      const rows = await listLookedAt(db, partnerId, subscribed, period, page)
      const events = rows.slice(0, limit)
      const names = await readDealNames(
        db,
        partnerId,
        events.map(({ dealId }) => dealId),
      )
      return {
        events: events.map((event) => ({ ...event, deal: names.get(event.dealId) ?? null })),
        next: rows.length > limit ? events.at(-1)!.sequence : null,
      }
    }),
})

// The period for a filter that is being edited.
const lookBackDays = 30

/** Returns the filter of a look back and its period. @throws ApiError 404 without the subscription */
async function lookedBackAt(
  db: Database,
  partnerId: PartnerId,
  { id, ...choice }: z.infer<typeof LookBackInput>,
): Promise<ReturnType<typeof subscribedEventsOf> & { period: Period }> {
  if (id == null) return { ...subscribedEventsOf(choice), period: { days: lookBackDays } }
  const endpoint = found(await readSubscription(db, partnerId, id))
  return { subscribed: subscribedBy(endpoint), problems: [], period: { after: endpoint.sinceSequence ?? 0 } }
}
