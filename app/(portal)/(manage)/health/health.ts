import type { inferRouterOutputs } from '@trpc/server'
import type { Api } from '#server/api.ts'

/** The health of the system when it was read. */
export type SystemHealth = inferRouterOutputs<Api>['health']['read']
