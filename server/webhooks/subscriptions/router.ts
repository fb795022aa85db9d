import { z } from 'zod'
import type { Database } from '#db/client.ts'
import { partnerOf } from '../../access/actor.ts'
import { note } from '../../access/audited.ts'
import { forAdmins, forPartnerManagers, preparedOutput, router, scoped } from '../../access/procedure.ts'
import type { PartnerId } from '../../accounts/partner.ts'
import { countAttempt } from '../../accounts/sign-in/throttle-store.ts'
import { readDealNames } from '../../deals/name-store.ts'
import { ApiError, tooMany } from '../../errors.ts'
import type { Services } from '../../runtime/services.ts'
import { stringifyJson } from '../../values/int64.ts'
import { Prepared } from '../../values/prepared.ts'
import { urlProblem } from '../endpoints/endpoint.ts'
import { readSecrets } from '../endpoints/secret-store.ts'
import { subscriptionsMax } from '../policy.ts'
import { changeSubscription, found, subscribe, unsubscribe } from './actions.ts'
import { type Period, countWithheld, listLookedAt, lookBack } from './look-back-store.ts'
import { replay } from './replay.ts'
import { type NewSubscription, readSubscription, readSubscriptions } from './store.ts'
import {
  ChooseSubscription,
  CreateSubscription,
  EditSubscription,
  ListLookedAt,
  LookBackInput,
  ReplayEvents,
  SubscriptionDetails,
  SubscriptionList,
  WireSubscription,
  describeReplay,
  subscribedBy,
  subscribedEventsOf,
  wireSubscription,
} from './wire.ts'

export const subscriptionsRouter = router({
  list: scoped('webhooks:read')
    .meta({
      openapi: {
        operationId: 'listSubscriptions',
        method: 'GET',
        path: '/api/webhooks',
        tags: ['Webhooks'],
        summary: 'List subscriptions',
        description: 'All subscriptions, oldest first. The two webhook URLs are not among them.',
      },
    })
    .input(z.void())
    .output(SubscriptionList)
    .query(async ({ ctx: { db, actor } }) => ({
      subscriptions: (await readSubscriptions(db, partnerOf(actor))).map(wireSubscription),
    })),

  create: scoped('webhooks:write')
    .meta({
      openapi: {
        operationId: 'createSubscription',
        method: 'POST',
        path: '/api/webhooks',
        tags: ['Webhooks'],
        summary: 'Subscribe to events',
        contentTypes: ['application/json', 'application/*+json'],
        description:
          'Sends events to a URL, besides the two webhook URLs and by the same rules: signature, retries, order. ' +
          'If an identical subscription exists, returns it with 200 and switches it on if it is off. ' +
          `There can be ${subscriptionsMax}. A receiver that answers 410 ends its subscription.`,
      },
    })
    .input(CreateSubscription)
    .output(preparedOutput(WireSubscription))
    .mutation(async ({ ctx, input }) => {
      const partnerId = partnerOf(ctx.actor)
      const { endpoint, isNew } = await subscribe(ctx, partnerId, await acceptable(ctx.services, input))
      const json = stringifyJson(wireSubscription(endpoint))
      return new Prepared<z.infer<typeof WireSubscription>>(json, null, {
        status: isNew ? 201 : 200,
        headers: { Location: `${ctx.services.config.publicUrl}/api/webhooks/${endpoint.kind}` },
      })
    }),

  get: scoped('webhooks:read')
    .meta({
      openapi: {
        operationId: 'getSubscription',
        method: 'GET',
        path: '/api/webhooks/{id}',
        tags: ['Webhooks'],
        summary: 'Get subscription',
        description: 'One subscription, and how many events it withheld.',
      },
    })
    .input(ChooseSubscription)
    .output(SubscriptionDetails)
    .query(async ({ ctx: { db, actor }, input: { id } }) => {
      const partnerId = partnerOf(actor)
      const endpoint = found(await readSubscription(db, partnerId, id))
      return { ...wireSubscription(endpoint), withheld: await countWithheld(db, partnerId, endpoint) }
    }),

  remove: scoped('webhooks:write')
    .meta({
      openapi: {
        operationId: 'deleteSubscription',
        method: 'DELETE',
        path: '/api/webhooks/{id}',
        tags: ['Webhooks'],
        summary: 'Unsubscribe',
        description: 'Deletes a subscription. What waits to be sent to it is not sent.',
      },
    })
    .input(ChooseSubscription)
    .output(z.void())
    .mutation(async ({ ctx, input: { id } }) => {
      await unsubscribe(ctx, partnerOf(ctx.actor), id)
    }),

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

/** Returns a subscription to store. @throws ApiError 400 if its URL or its filter cannot be used */
async function acceptable(
  { endpointRules, resolve }: Pick<Services, 'endpointRules' | 'resolve'>,
  { url, name, ...choice }: z.infer<typeof CreateSubscription>,
): Promise<NewSubscription> {
  const { subscribed, problems } = subscribedEventsOf(choice)
  const reason = await urlProblem(url, endpointRules, resolve)
  const errors = [...(reason === null ? [] : [`url: ${reason}`]), ...problems]
  if (errors.length > 0) throw new ApiError('BAD_REQUEST', 'The subscription cannot be used', { errors })
  return { url, name, ...subscribed }
}

// How far the look back of a filter reaches while it is edited.
const lookBackDays = 30

/** Returns what a look back judges, and over which events. @throws ApiError 404 without the subscription */
async function lookedBackAt(
  db: Database,
  partnerId: PartnerId,
  { id, ...choice }: z.infer<typeof LookBackInput>,
): Promise<ReturnType<typeof subscribedEventsOf> & { period: Period }> {
  if (id == null) return { ...subscribedEventsOf(choice), period: { days: lookBackDays } }
  const endpoint = found(await readSubscription(db, partnerId, id))
  return { subscribed: subscribedBy(endpoint), problems: [], period: { after: endpoint.sinceSequence ?? 0 } }
}
