import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { cache } from 'react'
import { Prefetched } from '#app/providers.tsx'
import { prefetchOne, readPageView } from '#app/trpc-server.ts'
import { dealTitle } from '../deal-name.ts'
import { DealView } from './deal-view.tsx'

interface Props {
  params: Promise<{ id: string }>
}

/** Prefetches the page's data. Invalid, unknown and other partners' IDs are answered alike. */
const load = cache(async (id: string) => {
  const { seesAllPartners } = await readPageView()
  let title = 'Deal'
  const state = await prefetchOne(`/deals/${encodeURIComponent(id)}`, async ({ deals, files }) => {
    const deal = (await deals.show.fetch({ id })).value()
    title = dealTitle(deal)
    const { hicAgreement } = deal
    await Promise.all([
      deals.history.prefetch({ id }),
      deals.phones.prefetch({ id }),
      seesAllPartners && deals.partner.prefetch({ id }),
      files.list.prefetch({ dealId: id }),
      hicAgreement && files.get.prefetch({ id: hicAgreement }),
    ])
  })
  return { state, title }
})

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { state, title } = await load((await params).id)
  return { title: state === null ? 'Page not found' : title }
}

export default async function Page({ params }: Props) {
  const { id } = await params
  const { state } = await load(id)
  if (state === null) notFound()
  return (
    <Prefetched state={state}>
      <DealView id={id} />
    </Prefetched>
  )
}
