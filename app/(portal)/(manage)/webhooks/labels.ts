import { eventTypesOf } from '#server/deals/event.ts'
import type { EndpointKind } from '#server/webhooks/delivery.ts'

/** The two endpoints, in display order. */
export const kinds = ['create', 'update'] as const satisfies EndpointKind[]

/** The name of each endpoint, its event types, and its field in the REST interface. */
export const endpointLabels: Record<
  EndpointKind,
  { label: string; event: string; field: 'createURL' | 'updateURL' }
> = {
  create: { label: 'New deals', event: eventTypesOf('create').join(', '), field: 'createURL' },
  update: { label: 'Deal updates', event: eventTypesOf('update').join(', '), field: 'updateURL' },
}
