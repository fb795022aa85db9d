import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { Prefetched } from '#app/providers.tsx'
import { prefetch } from '#app/trpc-server.ts'
import { toRefusal } from '#server/protocol/errors.ts'
import { ImportPage } from './import-page.tsx'

export const metadata: Metadata = { title: 'Import' }

export default async function Page({ params }: { params: Promise<{ id: string }> }) {
  const { id: text } = await params
  const id = Number(text)
  let isThere = true
  const state = await prefetch(`/imports/${encodeURIComponent(text)}`, async ({ imports }) => {
    try {
      await imports.one.fetch({ id })
    } catch (error) {
      isThere = !['NOT_FOUND', 'BAD_REQUEST'].includes(toRefusal(error).code)
      throw error
    }
  })
  if (!isThere) notFound()
  return (
    <Prefetched state={state}>
      <ImportPage id={id} />
    </Prefetched>
  )
}
