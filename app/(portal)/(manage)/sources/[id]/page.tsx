import type { Metadata } from 'next'
import { prefetchedOne } from '#app/prefetched.tsx'
import { SourcePage } from './source-page.tsx'

export const metadata: Metadata = { title: 'Source' }

export default async function Page({ params }: { params: Promise<{ id: string }> }) {
  const { id: text } = await params
  const id = Number(text)
  return prefetchedOne(
    `/sources/${encodeURIComponent(text)}`,
    ({ sources }) => sources.get.fetch({ id }),
    <SourcePage id={id} />,
  )
}
