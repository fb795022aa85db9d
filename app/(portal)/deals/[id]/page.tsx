import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { cache } from 'react'
import { Prefetched } from '#app/providers.tsx'
import { prefetchOne, readPageView } from '#app/trpc-server.ts'
import { dealTitle } from '../deal-text.ts'
import { DealView } from './deal-view.tsx'

interface Props {
  params: Promise<{ id: string }>
  searchParams: Promise<{ thread?: string | string[] }>
}

/** Prefetches the page's data. Deals of other partners respond like unknown or invalid IDs. */
const load = cache(async (id: string, thread: string | undefined) => {
  const { seesAllPartners } = await readPageView()
  let title = 'Deal'
  const state = await prefetchOne(
    `/deals/${encodeURIComponent(id)}${thread === undefined ? '' : `?${new URLSearchParams({ thread })}`}`,
    async ({ deals, files }) => {
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
    },
  )
  return { state, title }
})

async function loadFor({ params, searchParams }: Props) {
  const [{ id }, { thread }] = await Promise.all([params, searchParams])
  return load(id, typeof thread === 'string' ? thread : undefined)
}

export async function generateMetadata(props: Props): Promise<Metadata> {
  const { state, title } = await loadFor(props)
  return { title: state === null ? 'Page not found' : title }
}

export default async function Page(props: Props) {
  const { id } = await props.params
  const { state } = await loadFor(props)
  if (state === null) notFound()
  return (
    <Prefetched state={state}>
      <DealView id={id} />
    </Prefetched>
  )
}
