import type { Metadata } from 'next'
import { queryPage } from '#app/prefetched.tsx'
import { partnersFilter, partnersQuery } from './partner-list.ts'
import { PartnersPage } from './partners-page.tsx'

export const metadata: Metadata = { title: 'Partners' }

export default queryPage(
  partnersQuery,
  ({ partners }, query) => partners.list.fetchInfinite(partnersFilter(query)),
  <PartnersPage />,
)
