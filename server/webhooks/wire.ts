import { z } from 'zod'
import { parseInt64 } from '../int64.ts'
import type { Addresses } from './store.ts'

const address = (what: string) => z.string({ error: 'must be a string or null' }).nullable()
  .meta({ description: `Address that ${what} events are sent to.`, examples: [`https://crm.example.com/hooks/${what.replace('.', '-')}`] })

export const WebhookConfiguration = z.looseObject({
  createURL: address('deal.created'),
  updateURL: address('deal.updated'),
}).meta({ id: 'WebhookConfiguration', description: 'Webhook configuration; null: not set.' })

/** At least one of the two: an omitted key keeps its value, null or an empty string clears it. */
export const SetWebhook = z.object({
  createURL: address('deal.created').optional(),
  updateURL: address('deal.updated').optional(),
}, { error: 'must be an object' })

/** The addresses that are given there: an omitted key is not, an empty one is cleared. */
export function addressesOf({ createURL, updateURL }: { createURL?: string | null | undefined; updateURL?: string | null | undefined }): Partial<Addresses> {
  return {
    ...(createURL === undefined ? {} : { create: createURL || null }),
    ...(updateURL === undefined ? {} : { update: updateURL || null }),
  }
}

/** The addresses as partners see them. */
export function configurationOf({ create, update }: Addresses): z.infer<typeof WebhookConfiguration> {
  return { createURL: create, updateURL: update }
}

/** What was set to what, as it is written down. */
export function describeAddresses(given: Partial<Addresses>): string {
  return Object.entries(given).map(([kind, url]) => `${kind}URL ${url === null ? 'removed' : `set to ${url}`}`).join(', ')
}

/** Which of the two addresses. */
export const ChooseEndpoint = z.object({ kind: z.enum(['create', 'update']) })

const deliveryId = z.number().int().min(1).max(Number.MAX_SAFE_INTEGER)

// What the database can hold, and nobody means a time beyond.
const time = z.date().min(new Date('1970-01-01')).max(new Date('9999-12-31'))

/** Which deliveries of the log; `cursor` is the `next` of the page before. */
export const ListDeliveries = z.object({
  kind: z.enum(['create', 'update']).optional(),
  state: z.enum(['waiting', 'delivered', 'failed']).optional(),
  dealId: z.string().transform(parseInt64).refine((id) => id !== null, { error: 'must be the id of a deal' }).optional(),
  since: time.optional(),
  until: time.optional(),
  cursor: deliveryId.nullish(),
  limit: z.number().int().min(1).max(100).default(25),
})

export const ChooseDelivery = z.object({ id: deliveryId })

export const FailedSince = z.object({ since: time })
