import type { Metadata } from 'next'
import { Prefetched } from '#app/providers.tsx'
import { prefetch } from '#app/trpc-server.ts'
import { MoneyPage } from './money-page.tsx'
import { largestInput, namedDeals } from './named-deals.ts'

export const metadata: Metadata = { title: 'Money' }

export default async function Page() {
  const state = await prefetch('/money', async ({ deals, insight }) => {
    const { expected } = await insight.money.fetch()
    await deals.find.fetch(largestInput(namedDeals(expected).filter))
  })
  return (
    <Prefetched state={state}>
      <MoneyPage />
    </Prefetched>
  )
}
