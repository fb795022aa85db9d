import type { Metadata } from 'next'
import { prefetched } from '#app/prefetched.tsx'
import { MoneyPage } from './money-page.tsx'
import { largestInput, namedDeals } from './named-deals.ts'

export const metadata: Metadata = { title: 'Money' }

export default function Page() {
  return prefetched(
    '/money',
    async ({ deals, insight }) => {
      const { expected } = await insight.money.fetch()
      await deals.find.fetch(largestInput(namedDeals(expected).filter))
    },
    <MoneyPage />,
  )
}
