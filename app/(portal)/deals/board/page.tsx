import type { Metadata } from 'next'
import type { SearchParams } from 'nuqs/server'
import { Prefetched } from '#app/providers.tsx'
import { prefetch } from '#app/trpc-server.ts'
import { readDealsPage } from '../page-query.ts'
import { dealsHref, filterOf } from '../query.ts'
import { BoardPage } from './board-page.tsx'
import { cardsInput, columnsAtOnce } from './columns.ts'

export const metadata: Metadata = { title: 'Board' }

export default async function Page({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const { query, today, seesAllPartners, isPhone } = await readDealsPage(searchParams, '/deals/board')
  const state = await prefetch(dealsHref(query, '/deals/board'), async ({ deals }) => {
    const { columns } = await deals.board.fetch({ filter: filterOf(query, today) })
    await Promise.all(
      columns
        .slice(0, columnsAtOnce)
        .map((column) => deals.find.prefetchInfinite(cardsInput(query, column, today, seesAllPartners))),
    )
  })
  return (
    <Prefetched state={state}>
      <BoardPage today={today} isPhone={isPhone} />
    </Prefetched>
  )
}
