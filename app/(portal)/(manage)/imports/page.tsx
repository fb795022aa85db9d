import type { Metadata } from 'next'
import { prefetched } from '#app/prefetched.tsx'
import { ImportsPage } from './imports-page.tsx'

export const metadata: Metadata = { title: 'Imports' }

export default function Page() {
  return prefetched(
    '/imports',
    ({ accounts, imports }) =>
      Promise.all([imports.list.fetchInfinite({}), accounts.partners.fetch(), accounts.me.fetch()]),
    <ImportsPage />,
  )
}
