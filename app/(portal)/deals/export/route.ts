import { csvAnswer } from '#app/csv-answer.ts'
import { procedures, readPageView, streamProcedures } from '#app/trpc-server.ts'
import { dayOf } from '#server/values/zone.ts'
import { fileColumns } from '../cells.ts'
import { derivedColumn } from '../columns.ts'
import { columnsOf } from '../columns.ts'
import { filterOf, readDealsQuery, sortOf } from '../query.ts'

async function readViewName(view: number | null): Promise<string> {
  if (view === null) return 'Deals'
  const views = await (await procedures()).views.list().catch(() => [])
  const name = views
    .find(({ id }) => id === view)
    ?.name.replaceAll(/[\p{C}/\\:*?"<>|]+/gu, ' ')
    .trim()
  return name ? name : 'Deals'
}

/** Exports the matching deals or exactly `ids` as CSV: the visible columns, or every field with `all=1`. */
async function answer(request: Request): Promise<Response> {
  const state = readDealsQuery(request)
  const { zone, seesAllPartners } = await readPageView()
  const today = dayOf(new Date(), zone)
  const { searchParams } = new URL(request.url)
  const isAll = searchParams.get('all') === '1'
  const ids = searchParams.get('ids')?.split(',')
  const visible = columnsOf(state, seesAllPartners)
  const columns = fileColumns(isAll ? 'all' : visible, zone, Date.now())
  const derived = isAll ? [] : [...new Set(visible.flatMap((column) => derivedColumn(column)?.from ?? []))]
  const name = await readViewName(state.view)
  return csvAnswer(request, `${name} ${today}.csv`, columns, async () =>
    (await streamProcedures()).deals.export({
      filter: filterOf(state, today),
      sort: sortOf(state),
      derived,
      ...(ids !== undefined && { ids }),
    }),
  )
}

export { answer as GET, answer as HEAD }
