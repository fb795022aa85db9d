import { type Database, inBatches } from '#db/client.ts'
import { rowsOf } from './deal-writer.ts'
import { listOfAll, lockLists, touchLists } from './list-store.ts'
import { prepareSaving } from './prepared-write.ts'
import { parseDeal, renderDeal, renderVersion } from './render.ts'
import { updateDeals } from './row-store.ts'

// About 100 ms, during which other writers wait for the lock.
const oldDealsAtOnce = 250

/**
 * Re-renders deals of older versions, JSON and columns, without events. Each batch is a transaction under the
 * writers' lock: several processes may run it, beside imports, and it resumes where it stopped. Returns how
 * many deals it rendered; stops early once `isStopping`.
 * @system the start
 */
export async function renderOldDeals(db: Database, isStopping = () => false): Promise<number> {
  // One index look-up, whatever the planner assumes about their number.
  const [oldest] = await db.$client<
    { version: number }[]
  >`select render_version as version from deals order by render_version, id limit 1`
  if (oldest === undefined || oldest.version >= renderVersion) return 0
  // Each batch begins after the previous one: until a vacuum, the index also leads to rows that are done.
  let last = { version: -1, id: '0' }
  return inBatches(oldDealsAtOnce, () =>
    db.$client.begin(async (sql) => {
      if (isStopping()) return 0
      await lockLists(sql, [])
      const rows = await sql<{ id: string; version: number; partnerId: number | null; json: string }[]>`
      select id, render_version as version, partner_id as "partnerId", json from deals
      where render_version < ${renderVersion}
        and (render_version, id) > (${last.version}::smallint, ${last.id}::bigint)
      order by render_version, id limit ${oldDealsAtOnce}`
      if (rows.length === 0) return 0
      const rendered = rows.map(({ id, partnerId, json }) => {
        const deal = parseDeal(json)
        return { id: BigInt(id), stored: { partnerId }, partnerId, json: renderDeal(deal), deal }
      })
      const now = new Date()
      const saved = rendered.map((deal) => prepareSaving(deal, now))
      await updateDeals(sql, await rowsOf(sql, saved))
      const shown = rendered.filter(({ json }, index) => json !== rows[index]!.json)
      if (shown.length > 0)
        await touchLists(sql, [listOfAll, ...shown.flatMap(({ partnerId }) => partnerId ?? [])])
      last = rows.at(-1)!
      return rows.length
    }),
  )
}
