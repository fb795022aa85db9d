'use client'

import {
  type DehydratedState,
  HydrationBoundary,
  MutationCache,
  QueryCache,
  QueryClient,
  QueryClientProvider,
} from '@tanstack/react-query'
import { TRPCClientError, httpBatchLink, httpLink, splitLink } from '@trpc/client'
import { NuqsAdapter } from 'nuqs/adapters/next/app'
import { type ReactNode, useMemo, useState } from 'react'
import type { Api } from '#server/api.ts'
import { transformer } from '#server/protocol/transformer.ts'
import { leaveFor } from './leave-document.ts'
import { withPartner } from './partner-href.ts'
import { usePartner } from './partner.tsx'
import { trpc } from './trpc.ts'

/**
 * Gives the pages below it the procedures and the address. Belongs to one user, and to one partner of those that an operator views:
 * what was read for one must not be there for the next.
 */
export function Providers({ children }: { children: ReactNode }) {
  const partner = usePartner()
  const [queryClient] = useState(makeQueryClient)
  const [client] = useState(() => makeClient(partner))
  return (
    <trpc.Provider client={client} queryClient={queryClient}>
      <QueryClientProvider client={queryClient}>
        <NuqsAdapter>{children}</NuqsAdapter>
      </QueryClientProvider>
    </trpc.Provider>
  )
}

/**
 * Asks as the page's partner, in whose address each call goes out, also one of a form that was opened long ago.
 * In batches, but for what says that it is not to wait for others: `trpc: { context: { isAlone: true } }`.
 */
function makeClient(partner: string | null) {
  const link = { url: withPartner('/api/trpc', partner), transformer }
  // The server refuses larger batches, see app/api/trpc.
  return trpc.createClient({
    links: [
      splitLink({
        condition: ({ context }) => context.isAlone === true,
        true: httpLink(link),
        false: httpBatchLink({ ...link, maxItems: 10 }),
      }),
    ],
  })
}

/** Gives the pages below it what the server has read for them already. */
export function Prefetched({ state, children }: { state: DehydratedState; children: ReactNode }) {
  const dehydrated = useMemo(() => transformer.output.deserialize<DehydratedState>(state as never), [state])
  return <HydrationBoundary state={dehydrated}>{children}</HydrationBoundary>
}

function makeQueryClient(): QueryClient {
  const onError = (error: unknown) => {
    if (statusOf(error) === 401) askToSignIn()
  }
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      // What the server has refused it refuses again.
      queries: { staleTime: 30_000, retry: (failures, error) => failures < 2 && statusOf(error) >= 500 },
      // Otherwise a change made without a connection waits in silence, and is made at a time when nobody expects it.
      mutations: { networkMode: 'always' },
    },
  })
}

/** The status that the server answered with; 500 when it did not answer. */
function statusOf(error: unknown): number {
  return (error instanceof TRPCClientError && (error as TRPCClientError<Api>).data?.httpStatus) || 500
}

/** Leads to the sign-in page, and from there back to where one was. */
function askToSignIn(): void {
  const { pathname, search } = window.location
  leaveFor(`/sign-in?${new URLSearchParams({ callbackUrl: pathname + search })}`)
}
