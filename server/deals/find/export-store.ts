import type { Fragment, TransactionSql } from 'postgres'
import { type ReadDatabase, withoutScans } from '#db/client.ts'
import { portionsOf } from '../portions.ts'
import type { Query } from './condition-store.ts'
import { fewMatches, isAfter, searchOf } from './store.ts'
import type { Cursor, DealSort } from './wire.ts'

type Take = (jsons: string[]) => Promise<void>

/** How far the deals were passed on. */
interface Passed {
  last: Cursor | null
}

/**
 * Passes the matching deals to `take`, in the given order, some hundreds at a time, from one snapshot and in
 * constant memory. Holds a connection until `take` has taken all or throws. When a replica fails in the middle, goes on
 * behind the last deal with a snapshot of the primary.
 */
export async function readMatching(
  db: ReadDatabase,
  query: Query,
  sort: DealSort,
  take: Take,
): Promise<void> {
  const passed: Passed = { last: null }
  await withoutScans(db, async (sql) => {
    const search = searchOf(sql, query, sort)
    const { matches, walked, isOrdered, order } = search
    const { key, direction } = order
    const after = isAfter(sql, order, passed.last)
    // Under names of their own, which the order does not mean.
    const columns = sql`id::text as "dealId", ${key}::text as "sortKey", json`
    // `take` has limits of its own; this one only ends abandoned queries.
    await sql`set local idle_in_transaction_session_timeout = '15min'`
    const few = await fewMatches(sql, search)
    if (few === null && isOrdered) {
      // One after the other, each in the order of the index, so that the first deals come at once.
      for (const isKnown of [sql`is not null`, sql`is null`])
        await passOn(
          sql,
          take,
          sql`
          select ${columns} from deals where ${walked} and ${key} ${isKnown} and ${matches} and ${after}
          order by ${key} ${direction}, id ${direction}`,
          passed,
        )
      return
    }
    await sql`set local enable_seqscan = on`
    await passOn(
      sql,
      take,
      sql`
      select ${columns} from (${few?.query ?? sql`select * from deals where ${walked}`}) deals
      where ${matches} and ${after} order by ${key} ${direction} nulls last, id ${direction}`,
      passed,
    )
  })
}

/** Passes on what a query of deals returns. */
async function passOn(sql: TransactionSql, take: Take, query: Fragment, passed: Passed): Promise<void> {
  await sql`declare matching no scroll cursor for ${query}`
  const fetchRows = () =>
    sql<{ dealId: string; sortKey: string | null; json: string }[]>`fetch 100 from matching`.execute()
  for (let reading = fetchRows(); ;) {
    const rows = await reading
    const last = rows.at(-1)
    if (last === undefined) break
    // Read while the rows before are passed on; should that fail, its own failure says nothing more.
    reading = fetchRows()
    reading.catch(() => {})
    for await (const portion of portionsOf(rows.map(({ json }) => json))) await take(portion)
    passed.last = { id: BigInt(last.dealId), key: last.sortKey }
  }
  await sql`close matching`
}
