import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { Prefetched } from '#app/providers.tsx'
import { prefetch } from '#app/trpc-server.ts'
import { toRefusal } from '#server/protocol/errors.ts'
import { SourcePage } from './source-page.tsx'

export const metadata: Metadata = { title: 'Source' }

export default async function Page({ params }: { params: Promise<{ id: string }> }) {
  const { id: text } = await params
  const id = Number(text)
  let isThere = true
  const state = await prefetch(`/sources/${encodeURIComponent(text)}`, async ({ sources }) => {
    try {
      await sources.get.fetch({ id })
    } catch (error) {
      isThere = !['NOT_FOUND', 'BAD_REQUEST'].includes(toRefusal(error).code)
      throw error
    }
  })
  if (!isThere) notFound()
  return (
    <Prefetched state={state}>
      <SourcePage id={id} />
    </Prefetched>
  )
}
