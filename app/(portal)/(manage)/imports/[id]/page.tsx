import type { Metadata } from 'next'
import { prefetchedOne } from '#app/prefetched.tsx'
import { ImportPage } from './import-page.tsx'

export const metadata: Metadata = { title: 'Import' }

export default async function Page({ params }: { params: Promise<{ id: string }> }) {
  const { id: text } = await params
  const id = Number(text)
  return prefetchedOne(
    `/imports/${encodeURIComponent(text)}`,
    ({ imports }) => imports.one.fetch({ id }),
    <ImportPage id={id} />,
  )
}
