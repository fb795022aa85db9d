import { z } from 'zod'
import { partnerOf } from '../access/actor.ts'
import { scoped } from '../access/procedure.ts'
import { ApiError } from '../errors.ts'
import type { Services } from '../runtime/services.ts'
import { setEndpoints } from './actions.ts'
import { urlProblem } from './endpoints/endpoint.ts'
import { type EndpointUrls, readEndpointUrls } from './store.ts'
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
      const errors = await urlErrors(ctx.services, urls)
      if (errors.length > 0) throw new ApiError('BAD_REQUEST', 'The URL cannot be used', { errors })
      return configurationOf(await setEndpoints(ctx, partnerId, urls))
    }),
}

async function urlErrors(
  { endpointRules, resolve }: Pick<Services, 'endpointRules' | 'resolve'>,
  urls: Partial<EndpointUrls>,
): Promise<string[]> {
  const checked = await Promise.all(
    Object.entries(urls).map(async ([kind, url]) => {
      const reason = url === null ? null : await urlProblem(url, endpointRules, resolve)
      return reason === null ? [] : [`${kind}URL: ${reason}`]
    }),
  )
  return checked.flat()
}
