import type { inferRouterOutputs } from '@trpc/server'
import type { Api } from '#server/api.ts'

/** A delivery with its attempts and the event's body. */
export type Delivery = inferRouterOutputs<Api>['deliveries']['get']
