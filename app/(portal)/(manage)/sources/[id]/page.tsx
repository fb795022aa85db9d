import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { Prefetched } from '#app/providers.tsx'
import { prefetchOne } from '#app/trpc-server.ts'
import { SourcePage } from './source-page.tsx'

export const metadata: Metadata = { title: 'Source' }

export default async function Page({ params }: { params: Promise<{ id: string }> }) {
  const { id: text } = await params
  const id = Number(text)
  const state = await prefetchOne(`/sources/${encodeURIComponent(text)}`, ({ sources }) =>
    sources.get.fetch({ id }),
  )
  if (state === null) notFound()
  return (
    <Prefetched state={state}>
      <SourcePage id={id} />
    </Prefetched>
  )
}
