import { createTRPCReact } from '@trpc/react-query'
import type { inferRouterOutputs } from '@trpc/server'
import type { Api } from '#server/api.ts'

/** The API's procedures as React hooks. */
export const trpc = createTRPCReact<Api>()

/** Results of the API's procedures. */
export type Outputs = inferRouterOutputs<Api>
