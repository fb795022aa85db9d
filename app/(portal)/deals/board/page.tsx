import type { Metadata } from 'next'
import { headers } from 'next/headers'
import type { SearchParams } from 'nuqs/server'
import { Prefetched } from '#app/providers.tsx'
import { prefetch, readPageView, readZone } from '#app/trpc-server.ts'
import { dayOf } from '#server/protocol/zone.ts'
import { openView } from '../open-view.ts'
import { dealsHref, filterOf, readDealsQuery } from '../query.ts'
import { BoardPage } from './board-page.tsx'
import { cardsInput, columnsAtOnce } from './columns.ts'

export const metadata: Metadata = { title: 'Board' }

export default async function Page({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const [query, requestHeaders] = await Promise.all([readDealsQuery(searchParams), headers()])
  await openView(query, '/deals/board')
  const today = dayOf(new Date(), await readZone())
  const { seesAllPartners } = await readPageView()
  const state = await prefetch(dealsHref(query, '/deals/board'), async ({ deals }) => {
    const { columns } = await deals.board.fetch({ filter: filterOf(query, today) })
    await Promise.all(
      columns
        .slice(0, columnsAtOnce)
        .map((column) => deals.find.prefetchInfinite(cardsInput(query, column, today, seesAllPartners))),
    )
  })
  const isPhone = /\bMobi/.test(requestHeaders.get('user-agent') ?? '')
  return (
    <Prefetched state={state}>
      <BoardPage today={today} isPhone={isPhone} />
    </Prefetched>
  )
}
