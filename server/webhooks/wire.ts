import { z } from 'zod'

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
