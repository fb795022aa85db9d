import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { Prefetched } from '#app/providers.tsx'
import { prefetchOne } from '#app/trpc-server.ts'
import { ImportPage } from './import-page.tsx'

export const metadata: Metadata = { title: 'Import' }

export default async function Page({ params }: { params: Promise<{ id: string }> }) {
  const { id: text } = await params
  const id = Number(text)
  const state = await prefetchOne(`/imports/${encodeURIComponent(text)}`, ({ imports }) =>
    imports.one.fetch({ id }),
  )
  if (state === null) notFound()
  return (
    <Prefetched state={state}>
      <ImportPage id={id} />
    </Prefetched>
  )
}
