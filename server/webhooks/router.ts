import { z } from 'zod'
import { partnerOf } from '../actor.ts'
import { Refusal, notFound } from '../errors.ts'
import { router, scoped } from '../procedure.ts'
import type { Services } from '../services.ts'
import { requestHeaders } from './attempt.ts'
import { refuseUrl } from './endpoint.ts'
import { countFailed, readDelivery, readLog, resend, resendFailed } from './log-store.ts'
import { readSecrets, rotateSecret } from './secret-store.ts'
import { sendTest } from './send-test.ts'
import { type Addresses, readAddresses, readEndpoints, switchOn, writeAddresses } from './store.ts'
import { ChooseDelivery, ChooseEndpoint, FailedSince, ListDeliveries, SetWebhook, WebhookConfiguration, addressesOf, configurationOf } from './wire.ts'

export const webhooksRouter = router({
  get: scoped('webhooks:read')
    .meta({
      openapi: { method: 'GET', path: '/api/webhook', tags: ['Webhooks'], summary: 'Get webhook addresses', description: 'The two addresses that events are sent to.' },
    })
    .input(z.void())
    .output(WebhookConfiguration)
    .query(async ({ ctx: { services, actor } }) => configurationOf(await readAddresses(services.db, partnerOf(actor)))),

  set: scoped('webhooks:write')
    .meta({
      openapi: {
        method: 'POST', path: '/api/webhook', tags: ['Webhooks'], summary: 'Set webhook addresses',
        contentTypes: ['application/json', 'application/*+json'],
        description: 'Sets one or both addresses: an omitted one keeps its value, null or an empty string clears it. '
          + 'An address is https and leads to the public internet. One that was switched off is on again when it is set.',
      },
    })
    .input(SetWebhook)
    .output(WebhookConfiguration)
    .mutation(async ({ ctx: { services, actor }, input }) => {
      const partnerId = partnerOf(actor)
      const given = addressesOf(input)
      if (Object.keys(given).length === 0) {
        throw new Refusal('BAD_REQUEST', 'The request is not valid', { errors: ['at least one of createURL and updateURL must be given'] })
      }
      const errors = await refusals(services, given)
      if (errors.length > 0) throw new Refusal('BAD_REQUEST', 'The address cannot be used', { errors })
      return configurationOf(await writeAddresses(services.db, partnerId, given))
    }),

  /** The addresses that are set and how they do. */
  status: scoped('webhooks:read').query(({ ctx: { services, actor } }) => readEndpoints(services.db, partnerOf(actor))),

  /** The secrets that sign at the moment, the current one first. */
  reveal: scoped('webhooks:write').mutation(({ ctx: { services, actor } }) => readSecrets(services.db, partnerOf(actor), services.sealingKey)),

  /** A new secret; the one before signs along for a day. */
  rotate: scoped('webhooks:write').mutation(async ({ ctx: { services, actor } }) => {
    const secrets = await rotateSecret(services.db, partnerOf(actor), services.sealingKey)
    if (secrets === null) throw new Refusal('BAD_REQUEST', 'The secret was rotated several times within a day: wait until an older one has ended')
    return secrets
  }),

  /** Sends a test event and gives what came of it. */
  test: scoped('webhooks:write').input(ChooseEndpoint).mutation(async ({ ctx: { services, actor }, input: { kind } }) => {
    const result = await sendTest(services.db, { partnerId: partnerOf(actor), kind }, { ...services.webhooks, sealingKey: services.sealingKey })
    if (result === undefined) throw notFound('Address')
    return result
  }),

  /** Switches an address back on; what waits for it is sent. */
  switchOn: scoped('webhooks:write').input(ChooseEndpoint).mutation(async ({ ctx: { services, actor }, input: { kind } }) => {
    if (!await switchOn(services.db, partnerOf(actor), kind)) throw notFound('Address')
  }),
})

export const deliveriesRouter = router({
  /** A page of the log, the newest first; `next` is the cursor of the page behind it, null when there is none. */
  list: scoped('webhooks:read').input(ListDeliveries).query(async ({ ctx: { services, actor }, input: { cursor, ...filter } }) => {
    const rows = await readLog(services.db, partnerOf(actor), { ...filter, behind: cursor, limit: filter.limit + 1 })
    const shown = rows.slice(0, filter.limit)
    return { deliveries: shown, next: rows.length > shown.length ? shown.at(-1)!.id : null }
  }),

  /** One delivery with its attempts: each request exactly as it was sent, and what was answered. */
  get: scoped('webhooks:read').input(ChooseDelivery).query(async ({ ctx: { services, actor }, input: { id } }) => {
    const delivery = await readDelivery(services.db, partnerOf(actor), id)
    if (delivery === undefined) throw notFound('Delivery')
    const { attempts, ...rest } = delivery
    return {
      ...rest,
      attempts: attempts.map(({ deliveryId: _id, signature, ...attempt }) => ({ ...attempt, requestHeaders: requestHeaders(delivery.messageId, attempt.startedAt, signature) })),
    }
  }),

  /** Sends one again, from the start of the schedule. */
  resend: scoped('webhooks:write').input(ChooseDelivery).mutation(async ({ ctx: { services, actor }, input: { id } }) => {
    if (!await resend(services.db, partnerOf(actor), id)) throw notFound('Delivery')
  }),

  /** How many would be sent again by `resendFailed`. */
  countFailed: scoped('webhooks:read').input(FailedSince).query(async ({ ctx: { services, actor }, input: { since } }) => (
    { count: await countFailed(services.db, partnerOf(actor), since) })),

  /** Sends all again that failed since then; gives how many. */
  resendFailed: scoped('webhooks:write').input(FailedSince).mutation(async ({ ctx: { services, actor }, input: { since } }) => (
    { count: await resendFailed(services.db, partnerOf(actor), since) })),
})

async function refusals({ endpointRules, resolve }: Services, given: Partial<Addresses>): Promise<string[]> {
  const checked = await Promise.all(Object.entries(given).map(async ([kind, url]) => {
    const reason = url === null ? null : await refuseUrl(url, endpointRules, resolve)
    return reason === null ? [] : [`${kind}URL: ${reason}`]
  }))
  return checked.flat()
}
