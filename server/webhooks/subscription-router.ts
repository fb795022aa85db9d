import { z } from 'zod'
import type { Database } from '#db/client.ts'
import { note } from '../access/audited.ts'
import { forAdmins, forPartnerManagers, router } from '../access/procedure.ts'
import type { PartnerId } from '../accounts/partner.ts'
import { countAttempt } from '../accounts/throttle-store.ts'
import { readDealNames } from '../deals/row-store.ts'
import { ApiError, tooMany } from '../errors.ts'
import { acceptable, changeSubscription, found } from './actions.ts'
import { type Period, listLookedAt, lookBack } from './look-back-store.ts'
import { subscriptionOperations } from './operations.ts'
import { replay } from './replay.ts'
import { readSecrets } from './secret-store.ts'
import { readSubscription } from './subscription-store.ts'
import {
  EditSubscription,
  ListLookedAt,
  LookBackInput,
  ReplayEvents,
  describeReplay,
  subscribedBy,
  subscribedEventsOf,
  wireSubscription,
} from './subscription-wire.ts'

export const subscriptionsRouter = router({
  ...subscriptionOperations,

  edit: forPartnerManagers.input(EditSubscription).mutation(async ({ ctx, input: { id, ...input } }) => {
    const subscription = await acceptable(ctx.services, input)
    return wireSubscription(await changeSubscription(ctx, ctx.partnerId, id, subscription))
  }),

  /**
   * Counts what a filter would have sent in the last days, or what a subscription would have sent since its
   * filter was set.
   */
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

  /** Sends recorded events to a URL, marked as tests. */
  replay: forAdmins.input(ReplayEvents).mutation(async ({ ctx, input: { url, dealId, ...input } }) => {
    const { services, partnerId } = ctx
    const subscribed = await acceptable(services, { ...input, url })
    const { isOver, retryAfterS } = await countAttempt(ctx.db, { purpose: 'webhook-replay', of: [partnerId] })
    if (isOver) throw tooMany('Too many events were replayed', retryAfterS)
    const recorded = { ...input, dealId: dealId ?? undefined }
    await note(ctx, { action: 'events.replayed', subject: describeReplay(url, recorded), partnerId })
    const secrets = await readSecrets(ctx.db, partnerId, services.encryptionKey)
    const replaying = { url, recorded, subscribed }
    return replay(
      ctx.db,
      partnerId,
      replaying,
      secrets.map(({ secret }) => secret),
      services.webhooks,
    )
  }),
})

// Number of days to look back for a filter that is being edited.
const lookBackDays = 30

/** Returns the filter and the period of a look back. @throws ApiError 404 without the subscription */
async function lookedBackAt(
  db: Database,
  partnerId: PartnerId,
  { id, ...choice }: z.infer<typeof LookBackInput>,
): Promise<ReturnType<typeof subscribedEventsOf> & { period: Period }> {
  if (id == null) return { ...subscribedEventsOf(choice), period: { days: lookBackDays } }
  const endpoint = found(await readSubscription(db, partnerId, id))
  return { subscribed: subscribedBy(endpoint), problems: [], period: { after: endpoint.sinceSequence ?? 0 } }
}
