import type { EndpointKind } from '#server/webhooks/delivery.ts'

/** The two endpoints, in the order in which they are shown. */
export const kinds = ['create', 'update'] as const satisfies EndpointKind[]

/** The name of each endpoint, its event type, and its field in the REST interface. */
export const endpointLabels: Record<
  EndpointKind,
  { label: string; event: string; field: 'createURL' | 'updateURL' }
> = {
  create: { label: 'New deals', event: 'deal.created', field: 'createURL' },
  update: { label: 'Deal updates', event: 'deal.updated', field: 'updateURL' },
}
