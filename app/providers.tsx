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
import { transformer } from '#server/values/transformer.ts'
import { leaveFor } from './leave-document.ts'
import { withPartner } from './partner-href.ts'
import { usePartner } from './partner.tsx'
import { trpc } from './trpc.ts'

/**
 * Provides procedures and query state to the pages below. Belongs to one user and one viewed partner, so no
 * data of one is shown to the next.
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
 * Calls procedures as the page's partner, whose slug is in each URL. Batches calls, except those with `trpc:
 * { context: { isAlone: true } }`.
 */
function makeClient(partner: string | null) {
  const link = { url: withPartner('/api/trpc', partner), transformer }
  // The server rejects larger batches, see app/api/trpc.
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

/** Provides the data that the server prefetched to the pages below. */
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
      // A request that the server rejected would be rejected again.
      queries: { staleTime: 30_000, retry: (failures, error) => failures < 2 && statusOf(error) >= 500 },
      // Otherwise a change made offline would wait silently and happen when nobody expects it.
      mutations: { networkMode: 'always' },
    },
  })
}

/** Returns the status of the response; 500 without one. */
function statusOf(error: unknown): number {
  return (error instanceof TRPCClientError && (error as TRPCClientError<Api>).data?.httpStatus) || 500
}

/** Saves form input and opens the sign-in page, which returns here. */
function askToSignIn(): void {
  const { pathname, search } = window.location
  void import('./saved-forms.ts')
    .then(({ saveForms }) => saveForms())
    // Even if the input cannot be saved, the user has to sign in.
    .catch(() => {})
    .then(() => leaveFor(`/sign-in?${new URLSearchParams({ callbackUrl: pathname + search })}`))
}
