import type { Metadata } from 'next'
import { queryPage } from '#app/prefetched.tsx'
import { FlowPage } from './flow-page.tsx'
import { flowQuery } from './query.ts'

export const metadata: Metadata = { title: 'Flow' }

export default queryPage(flowQuery, ({ insight }, { months }) => insight.flow.fetch({ months }), <FlowPage />)
