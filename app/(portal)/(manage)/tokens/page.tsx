import type { Metadata } from 'next'
import type { SearchParams } from 'nuqs/server'
import { Prefetched } from '#app/providers.tsx'
import { prefetch } from '#app/trpc-server.ts'
import { readTokensQuery, tokensHref, tokensInput } from './query.ts'
import { TokensPage } from './tokens-page.tsx'

export const metadata: Metadata = { title: 'Tokens' }

export default async function Page({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const query = await readTokensQuery(searchParams)
  const state = await prefetch(tokensHref(query), ({ accounts, tokens }) =>
    Promise.all([accounts.me.fetch(), tokens.list.fetchInfinite(tokensInput(query, false))]),
  )
  return (
    <Prefetched state={state}>
      <TokensPage />
    </Prefetched>
  )
}
