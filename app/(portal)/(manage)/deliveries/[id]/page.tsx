import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { Prefetched } from '#app/providers.tsx'
import { prefetchOne } from '#app/trpc-server.ts'
import { ChooseDelivery } from '#server/webhooks/wire.ts'
import { DeliveryPage } from './delivery-page.tsx'

export const metadata: Metadata = { title: 'Delivery' }

export default async function Page({ params }: { params: Promise<{ id: string }> }) {
  const { id: text } = await params
  const { data } = ChooseDelivery.safeParse({ id: /^\d{1,16}$/.test(text) ? Number(text) : NaN })
  if (data === undefined) notFound()
  const state = await prefetchOne(`/deliveries/${data.id}`, ({ deliveries }) => deliveries.get.fetch(data))
  if (state === null) notFound()
  return (
    <Prefetched state={state}>
      <DeliveryPage id={data.id} />
    </Prefetched>
  )
}
