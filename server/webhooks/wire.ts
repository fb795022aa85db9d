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

/** Which of the two addresses. */
export const ChooseEndpoint = z.object({ kind: z.enum(['create', 'update']) })

const cursor = /^(\d{4}-\d\d-\d\d [\d:.]+\+00)~(\d{1,15})$/

/** Which deliveries of the log; `cursor` is the `next` of the page before. */
export const ListDeliveries = z.object({
  kind: z.enum(['create', 'update']).optional(),
  state: z.enum(['waiting', 'delivered', 'failed']).optional(),
  dealId: z.bigint().optional(),
  since: z.date().optional(),
  until: z.date().optional(),
  cursor: z.string().regex(cursor).transform((text) => {
    const [, createdAt, id] = cursor.exec(text)!
    return { createdAt: createdAt!, id: Number(id) }
  }).optional(),
  limit: z.number().int().min(1).max(100).default(25),
})

/** The cursor that stands behind a delivery. */
export function cursorAfter({ exactCreatedAt, id }: { exactCreatedAt: string; id: number }): string {
  return `${exactCreatedAt}~${id}`
}

export const ChooseDelivery = z.object({ id: z.number().int().min(1).max(Number.MAX_SAFE_INTEGER) })

export const FailedSince = z.object({ since: z.date() })
