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
import { trpc } from './trpc.ts'
import { withPartner } from './ui/partner-href.ts'
import { usePartner } from './ui/partner.tsx'

/**
 * Provides procedures and query state to the components inside. Each instance belongs to one user and one
 * partner, so that no data is shown to another.
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
 * Returns a client that calls procedures for the page's partner, whose slug is in each URL. Calls with `trpc:
 * { context: { isAlone: true } }` are not batched.
 */
function makeClient(partner: string | null) {
  const link = { url: withPartner('/api/trpc', partner), transformer }
  // Limited, because the server rejects larger batches (see app/api/trpc).
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

/** Provides data prefetched by the server to the components inside. */
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
      // Only retry server errors: a rejected request would be rejected again.
      queries: { staleTime: 30_000, retry: (failures, error) => failures < 2 && statusOf(error) >= 500 },
      // The default would queue offline changes silently and make them much later.
      mutations: { networkMode: 'always' },
    },
  })
}

/** Returns the HTTP status of an error, or 500 if there was no response. */
function statusOf(error: unknown): number {
  return (error instanceof TRPCClientError && (error as TRPCClientError<Api>).data?.httpStatus) || 500
}

/** Saves form input and opens the sign-in page, which returns to this page. */
function askToSignIn(): void {
  const { pathname, search } = window.location
  void import('./ui/saved-forms.ts')
    .then(({ saveForms }) => saveForms())
    // The user has to sign in even if saving the input fails.
    .catch(() => {})
    .then(() => leaveFor(`/sign-in?${new URLSearchParams({ callbackUrl: pathname + search })}`))
}
