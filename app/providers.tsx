'use client'

import { type DehydratedState, HydrationBoundary, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { TRPCClientError, httpBatchLink } from '@trpc/client'
import { type ReactNode, useMemo, useState } from 'react'
import type { Api } from '#server/api.ts'
import { transformer } from '#server/prepared.ts'
import { trpc } from './trpc.ts'

/** Gives the pages below it the procedures. Belongs to one user: what was read for one must not be there for the next. */
export function Providers({ children }: { children: ReactNode }) {
  const [queryClient] = useState(makeQueryClient)
  // The server refuses larger batches, see app/api/trpc.
  const [client] = useState(() => trpc.createClient({ links: [httpBatchLink({ url: '/api/trpc', transformer, maxItems: 10 })] }))
  return (
    <trpc.Provider client={client} queryClient={queryClient}>
      <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>
    </trpc.Provider>
  )
}

/** Gives the pages below it what the server has read for them already. */
export function Prefetched({ state, children }: { state: DehydratedState; children: ReactNode }) {
  const dehydrated = useMemo(() => transformer.deserialize<DehydratedState>(state as never), [state])
  return <HydrationBoundary state={dehydrated}>{children}</HydrationBoundary>
}

function makeQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: { staleTime: 30_000, retry: (failures, error) => failures < 2 && !isRefused(error) },
    },
  })
}

/** Whether the server has said no, so that asking again would be no use. */
function isRefused(error: unknown): boolean {
  return error instanceof TRPCClientError && ((error as TRPCClientError<Api>).data?.httpStatus ?? 500) < 500
}
