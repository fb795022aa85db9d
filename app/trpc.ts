import { createTRPCReact } from '@trpc/react-query'
import type { Api } from '#server/api.ts'

/** The API's procedures as React hooks. */
export const trpc = createTRPCReact<Api>()
