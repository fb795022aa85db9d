import type { inferRouterOutputs } from '@trpc/server'
import type { Api } from '#server/api.ts'

/** A partner in the list. */
export type PartnerLine = inferRouterOutputs<Api>['partners']['list']['partners'][number]
