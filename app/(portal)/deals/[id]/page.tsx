import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { cache } from 'react'
import { Prefetched } from '#app/providers.tsx'
import { prefetch, readPageView } from '#app/trpc-server.ts'
import { toRefusal } from '#server/protocol/errors.ts'
import { dealTitle } from '../deal-name.ts'
import { DealView } from './deal-view.tsx'

interface Props {
  params: Promise<{ id: string }>
}

/** Prefetches the page's data. Invalid, unknown and other partners' IDs are answered alike. */
const load = cache(async (id: string) => {
  const { seesAllPartners } = await readPageView()
  let title = 'Deal'
  let isThere = true
  const state = await prefetch(`/deals/${encodeURIComponent(id)}`, async ({ deals, files }) => {
    try {
      const deal = (await deals.get.fetch({ id })).value()
      title = dealTitle(deal)
      const { hicAgreement } = deal
      await Promise.all([
        deals.history.prefetch({ id }),
        seesAllPartners && deals.partner.prefetch({ id }),
        hicAgreement && files.get.prefetch({ id: hicAgreement }),
      ])
    } catch (error) {
      isThere = !['NOT_FOUND', 'BAD_REQUEST'].includes(toRefusal(error).code)
      throw error
    }
  })
  return { state, title, isThere }
})

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { title, isThere } = await load((await params).id)
  return { title: isThere ? title : 'Page not found' }
}

export default async function Page({ params }: Props) {
  const { id } = await params
  const { state, isThere } = await load(id)
  if (!isThere) notFound()
  return (
    <Prefetched state={state}>
      <DealView id={id} />
    </Prefetched>
  )
}
