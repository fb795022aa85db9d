import type { Metadata } from 'next'
import type { SearchParams } from 'nuqs/server'
import { prefetched } from '#app/prefetched.tsx'
import { readTokensQuery, tokensHref, tokensInput } from './query.ts'
import { TokensPage } from './tokens-page.tsx'

export const metadata: Metadata = { title: 'Tokens' }

export default async function Page({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const query = await readTokensQuery(searchParams)
  return prefetched(
    tokensHref(query),
    ({ accounts, tokens }) =>
      Promise.all([accounts.me.fetch(), tokens.list.fetchInfinite(tokensInput(query, false))]),
    <TokensPage />,
  )
}
