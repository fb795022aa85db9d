import { type ReadDatabase, withoutScans } from '#db/client.ts'
import { listed } from '#db/fragments.ts'
import { conditionOf } from '../../search/condition-store.ts'
import { resolveQuery } from '../../search/resolve-query.ts'
import type { DealFilter } from '../../search/wire.ts'
import type { NewsReader } from '../read-news.ts'

/** The number and dollars of the viewer's own deals. */
export interface OwnCount {
  count: number
  amount: number
  /** True if there may be more deals than were counted. */
  isMore: boolean
}

/** Maximum number of own deals that are counted. */
const ownMax = 10_000

/** For each filter, counts the viewer's own deals that match it and sums their amounts, in one scan. */
export async function countOwn(
  db: ReadDatabase,
  reader: NewsReader,
  filters: readonly DealFilter[],
): Promise<OwnCount[]> {
  if (reader.user === null || filters.length === 0)
    return filters.map(() => ({ count: 0, amount: 0, isMore: false }))
  const own = await resolveQuery(reader, { isMine: true })
  const queries = await Promise.all(filters.map((filter) => resolveQuery(reader, filter)))
  return withoutScans(db, async (sql) => {
    const counts = queries.map((query) => {
      const matches = conditionOf(sql, query)
      return sql`count(*) filter (where ${matches})::float8, coalesce(sum(amount) filter (where ${matches}), 0)::float8`
    })
    const [row] = await sql<[{ all: number; counts: number[] }]>`
      select count(*)::float8 as all, array[${listed(sql, counts)}] as counts
      from (select * from deals where ${conditionOf(sql, own)} limit ${ownMax}) deals`
    const isMore = row.all >= ownMax
    return filters.map((_, index) => ({
      count: row.counts[2 * index]!,
      amount: row.counts[2 * index + 1]!,
      isMore,
    }))
  })
}
