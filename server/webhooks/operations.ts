import { z } from 'zod'
import { partnerOf } from '../access/actor.ts'
import { preparedOutput, scoped } from '../access/procedure.ts'
import { ApiError } from '../errors.ts'
import { stringifyJson } from '../values/int64.ts'
import { Prepared } from '../values/prepared.ts'
import { acceptable, found, subscribe, unsubscribe, setEndpoints, urlProblems } from './actions.ts'
import { countWithheld } from './look-back-store.ts'
import { subscriptionsMax } from './policy.ts'
import { readEndpointUrls } from './store.ts'
import { readSubscription, readSubscriptions } from './subscription-store.ts'
import {
  ChooseSubscription,
  CreateSubscription,
  SubscriptionDetails,
  SubscriptionList,
  WireSubscription,
  wireSubscription,
} from './subscription-wire.ts'
import { SetWebhook, WebhookConfiguration, endpointUrlsOf, configurationOf } from './wire.ts'

/** REST operations for the two webhook URLs. */
export const webhookOperations = {
  get: scoped('webhooks:read')
    .meta({
      openapi: {
        method: 'GET',
        path: '/api/webhook',
        operationId: 'getWebhook',
        tags: ['Webhooks'],
        summary: 'Get webhook URLs',
        description: 'The two URLs that events are sent to.',
      },
    })
    .input(z.void())
    .output(WebhookConfiguration)
    .query(async ({ ctx: { db, actor } }) => configurationOf(await readEndpointUrls(db, partnerOf(actor)))),

  set: scoped('webhooks:write')
    .meta({
      openapi: {
        method: 'POST',
        path: '/api/webhook',
        operationId: 'setWebhook',
        tags: ['Webhooks'],
        summary: 'Set webhook URLs',
        contentTypes: ['application/json', 'application/*+json'],
        description:
          'Sets one or both URLs: an omitted one keeps its value, null or an empty string clears it. ' +
          'A URL must be https and lead to the public internet. Setting it switches the endpoint back on.',
      },
    })
    .input(SetWebhook)
    .output(WebhookConfiguration)
    .mutation(async ({ ctx, input }) => {
      const partnerId = partnerOf(ctx.actor)
      const urls = endpointUrlsOf(input)
      if (Object.keys(urls).length === 0)
        throw new ApiError('BAD_REQUEST', 'The request is not valid', {
          errors: ['at least one of createURL and updateURL must be given'],
        })
      const problems = await urlProblems(ctx.services, urls)
      const errors = problems.map(({ kind, reason }) => `${kind}URL: ${reason}`)
      if (errors.length > 0) throw new ApiError('BAD_REQUEST', 'The URL cannot be used', { errors })
      return configurationOf(await setEndpoints(ctx, partnerId, urls))
    }),
}

/** REST operations for subscriptions. */
export const subscriptionOperations = {
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
}
