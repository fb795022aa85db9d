import type { Metadata } from 'next'
import { Prefetched } from '#app/providers.tsx'
import { prefetch } from '#app/trpc-server.ts'
import { blockerInput } from './blocker-input.ts'
import { MoneyPage } from './money-page.tsx'

export const metadata: Metadata = { title: 'Money' }

export default async function Page() {
  const state = await prefetch('/money', ({ deals, insight }) =>
    Promise.all([insight.money.fetch(), deals.find.fetch(blockerInput)]),
  )
  return (
    <Prefetched state={state}>
      <MoneyPage />
    </Prefetched>
  )
}
