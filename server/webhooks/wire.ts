import { z } from 'zod'
import { eventTypesOf } from '../deals/event.ts'
import { BigRowId, Time, text } from '../values/input.ts'
import { parseInt64 } from '../values/int64.ts'
import { type EndpointKind, type WithdrawnBecause, isUrlKind, subscriptionId, urlKinds } from './delivery.ts'
import type { Endpoint, EndpointUrls } from './store.ts'

const url = (endpoint: EndpointKind) => {
  const types = eventTypesOf(endpoint)
  return z
    .string({ error: 'must be a string or null' })
    .nullable()
    .meta({
      description: `URL that ${types.join(' and ')} events are sent to.`,
      examples: [`https://crm.example.com/hooks/${types[0].replace('.', '-')}`],
    })
}

export const WebhookConfiguration = z
  .looseObject({ createURL: url('create'), updateURL: url('update') })
  .meta({ id: 'WebhookConfiguration', description: 'Webhook configuration; null when not set.' })

/** URLs to set. An omitted key keeps its value; null or an empty string clears it. */
export const SetWebhook = z.object(
  { createURL: url('create').optional(), updateURL: url('update').optional() },
  { error: 'must be an object' },
)

/** Returns the URLs in a request. An omitted key stays absent, and an empty string becomes null. */
export function endpointUrlsOf({
  createURL,
  updateURL,
}: {
  createURL?: string | null | undefined
  updateURL?: string | null | undefined
}): Partial<EndpointUrls> {
  return {
    ...(createURL === undefined ? {} : { create: createURL || null }),
    ...(updateURL === undefined ? {} : { update: updateURL || null }),
  }
}

/** Returns the URLs as shown to partners. */
export function configurationOf({ create, update }: EndpointUrls): z.infer<typeof WebhookConfiguration> {
  return { createURL: create, updateURL: update }
}

/** Returns a description of the change for the audit log. */
export function describeEndpoints(urls: Partial<EndpointUrls>): string {
  return Object.entries(urls)
    .map(([kind, url]) => `${kind}URL ${url === null ? 'removed' : `set to ${url}`}`)
    .join(', ')
}

/** Returns a description of an endpoint for the audit log. */
export const describeEndpoint = ({ kind, url, name }: Pick<Endpoint, 'kind' | 'url' | 'name'>): string =>
  `${isUrlKind(kind) ? `${kind}URL` : `subscription ${name ?? kind}`} ${url}`

/** Texts shown for the reasons why a delivery was withdrawn. */
export const withdrawals: Record<WithdrawnBecause, string> = {
  moved: 'Deal moved to another partner',
  unassigned: 'Deal no longer has a partner',
  removed: 'Deal removed',
}

/** One of the two URLs, or a subscription by id. */
const EndpointName = z.union([z.enum(urlKinds), z.string().regex(subscriptionId)], {
  error: 'must be create, update or the id of a subscription',
})

export const ChooseEndpoint = z.object({ kind: EndpointName })

/**
 * States of deliveries in the log. Retrying means that an attempt has failed and the schedule has another
 * one.
 */
export const logStates = ['delivered', 'waiting', 'retrying', 'failed'] as const
export type LogState = (typeof logStates)[number]

/** A homeowner's name, a deal id, or the status of the last response. */
const SearchText = text(100)

/** A filter of the log. `cursor` is the `next` value of the previous page. */
export const ListDeliveries = z.object({
  kind: EndpointName.optional(),
  state: z.enum(logStates).optional(),
  dealId: text(20)
    .transform(parseInt64)
    .refine((id) => id !== null, { error: 'must be the id of a deal' })
    .optional(),
  search: SearchText.optional(),
  since: Time.optional(),
  cursor: BigRowId.nullish(),
  limit: z.number().int().min(1).max(100).default(25),
})

export const ChooseDelivery = z.object({ id: BigRowId })

/** States from which a delivery can be resent. */
export const resendStates = ['failed', 'retrying'] as const satisfies LogState[]
export type ResendState = (typeof resendStates)[number]

/** A filter of deliveries to count or resend. `states` defaults to `failed`. */
export const ResendDeliveries = z
  .object({
    states: z.array(z.enum(resendStates)).min(1).optional(),
    kind: EndpointName.optional(),
    search: SearchText.optional(),
    since: Time.optional(),
  })
  .refine(({ states, since }) => (states ?? since) !== undefined, {
    error: 'one of states and since must be given',
  })
export type ResendDeliveries = z.infer<typeof ResendDeliveries>

/** Returns a description of the resend for the audit log. */
export function describeResent(
  count: number,
  { states = ['failed'], kind, search = '', since }: ResendDeliveries,
): string {
  return [
    `${count} ${states.join(' or ')}`,
    kind === undefined ? '' : `to the ${isUrlKind(kind) ? `${kind}URL` : `subscription ${kind}`}`,
    search.trim() === '' ? '' : `found by "${search.trim()}"`,
    since === undefined ? '' : `since ${since.toISOString()}`,
  ]
    .filter(Boolean)
    .join(' ')
}
