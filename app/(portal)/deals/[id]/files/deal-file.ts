import type { inferRouterOutputs } from '@trpc/server'
import type { Api } from '#server/api.ts'

/** A file of a deal. */
export type DealFile = inferRouterOutputs<Api>['files']['list'][number]
