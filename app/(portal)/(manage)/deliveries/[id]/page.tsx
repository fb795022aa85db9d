import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { prefetchedOne } from '#app/prefetched.tsx'
import { ChooseDelivery } from '#server/webhooks/wire.ts'
import { DeliveryPage } from './delivery-page.tsx'

export const metadata: Metadata = { title: 'Delivery' }

export default async function Page({ params }: { params: Promise<{ id: string }> }) {
  const { id: text } = await params
  const { data } = ChooseDelivery.safeParse({ id: /^\d{1,16}$/.test(text) ? Number(text) : NaN })
  if (data === undefined) notFound()
  return prefetchedOne(
    `/deliveries/${data.id}`,
    ({ deliveries }) => deliveries.get.fetch(data),
    <DeliveryPage id={data.id} />,
  )
}
