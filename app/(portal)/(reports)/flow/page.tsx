import type { Metadata } from 'next'
import type { SearchParams } from 'nuqs/server'
import { prefetched } from '#app/prefetched.tsx'
import { FlowPage } from './flow-page.tsx'
import { flowHref, readFlowQuery } from './query.ts'

export const metadata: Metadata = { title: 'Flow' }

export default async function Page({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const query = await readFlowQuery(searchParams)
  const { months } = query
  return prefetched(flowHref(query), ({ insight }) => insight.flow.fetch({ months }), <FlowPage />)
}
