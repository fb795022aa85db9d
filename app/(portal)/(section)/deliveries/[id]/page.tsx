import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { Prefetched } from '#app/providers.tsx'
import { prefetch } from '#app/trpc-server.ts'
import { toRefusal } from '#server/protocol/errors.ts'
import { ChooseDelivery } from '#server/webhooks/wire.ts'
import { DeliveryPage } from './delivery-page.tsx'

export const metadata: Metadata = { title: 'Delivery' }

export default async function Page({ params }: { params: Promise<{ id: string }> }) {
  const { id: text } = await params
  const { data } = ChooseDelivery.safeParse({ id: /^\d{1,16}$/.test(text) ? Number(text) : NaN })
  if (data === undefined) notFound()
  let isThere = true
  const state = await prefetch(`/deliveries/${data.id}`, async ({ deliveries }) => {
    try {
      await deliveries.get.fetch(data)
    } catch (error) {
      isThere = toRefusal(error).code !== 'NOT_FOUND'
      throw error
    }
  })
  if (!isThere) notFound()
  return (
    <Prefetched state={state}>
      <DeliveryPage id={data.id} />
    </Prefetched>
  )
}
