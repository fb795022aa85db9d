import type { inferRouterOutputs } from '@trpc/server'
import type { Api } from '#server/api.ts'

/** A stage, with what the CRM says of it, and whether its place is proposed. */
export type Stage = inferRouterOutputs<Api>['stages']['editable'][number]
