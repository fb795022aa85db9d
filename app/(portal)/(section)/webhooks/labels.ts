import type { EndpointKind } from '#server/webhooks/delivery.ts'

/** The two addresses, in the order in which they are shown. */
export const kinds = ['create', 'update'] as const satisfies EndpointKind[]

/** How an address is called, what goes to it, and its name in the interface. */
export const endpointLabels: Record<
  EndpointKind,
  { label: string; event: string; field: 'createURL' | 'updateURL' }
> = {
  create: { label: 'New deals', event: 'deal.created', field: 'createURL' },
  update: { label: 'Changes of deals', event: 'deal.updated', field: 'updateURL' },
}
