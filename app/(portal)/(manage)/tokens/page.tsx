import type { Metadata } from 'next'
import { queryPage } from '#app/prefetched.tsx'
import { tokensInput, tokensQuery } from './query.ts'
import { TokensPage } from './tokens-page.tsx'

export const metadata: Metadata = { title: 'Tokens' }

export default queryPage(
  tokensQuery,
  ({ tokens }, query) => tokens.list.fetchInfinite(tokensInput(query, false)),
  <TokensPage />,
)
