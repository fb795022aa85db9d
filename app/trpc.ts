import { createTRPCReact } from '@trpc/react-query'
import type { Api } from '#server/api.ts'

/** The procedures, as hooks of the pages. */
export const trpc = createTRPCReact<Api>()
