import type { Metadata } from 'next'
import type { SearchParams } from 'nuqs/server'
import { Prefetched } from '#app/providers.tsx'
import { prefetch } from '#app/trpc-server.ts'
import { FlowPage } from './flow-page.tsx'
import { flowHref, readFlowQuery } from './query.ts'

export const metadata: Metadata = { title: 'Flow' }

export default async function Page({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const query = await readFlowQuery(searchParams)
  const { months } = query
  const state = await prefetch(flowHref(query), ({ insight }) => insight.flow.fetch({ months }))
  return (
    <Prefetched state={state}>
      <FlowPage />
    </Prefetched>
  )
}
