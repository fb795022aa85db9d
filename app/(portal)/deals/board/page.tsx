import type { Metadata } from 'next'
import type { SearchParams } from 'nuqs/server'
import { prefetched } from '#app/prefetched.tsx'
import { readDealsPage } from '../page-query.ts'
import { dealsHref, filterOf } from '../query.ts'
import { BoardPage } from './board-page.tsx'
import { cardsInput, columnsAtOnce } from './cards.ts'

export const metadata: Metadata = { title: 'Board' }

export default async function Page({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const { query, today, seesAllPartners, isPhone } = await readDealsPage(searchParams, '/deals/board')
  return prefetched(
    dealsHref(query, '/deals/board'),
    async ({ deals }) => {
      const { columns } = await deals.board.fetch({ filter: filterOf(query, today) })
      await Promise.all(
        columns
          .slice(0, columnsAtOnce)
          .map((column) => deals.find.prefetchInfinite(cardsInput(query, column, today, seesAllPartners))),
      )
    },
    <BoardPage today={today} isPhone={isPhone} />,
  )
}
