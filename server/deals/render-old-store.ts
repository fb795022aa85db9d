import type { Fragment, TransactionSql } from 'postgres'
import { type Database, inBatches } from '#db/client.ts'
import { makeStageOf } from '../stages/stage.ts'
import { readAllStages, readChangedStages } from '../stages/store.ts'
import { meaningText } from './columns.ts'
import { cellsToSave, linesOf } from './deal-writer.ts'
import { listOfAll, lockLists, growLists } from './list-store.ts'
import { parseKnown, renderDeal, renderVersion } from './render.ts'
import { updateDeals } from './row-store.ts'

// A batch of this size takes about 100 ms, during which other writers wait for the lock.
const dealsAtOnce = 250

/**
 * Renders the JSON and columns of deals of older versions again, without events. Each batch is a transaction
 * that holds the writers' lock, so several processes can run this at the same time as imports, and after an
 * interruption it continues where it stopped. Stops early when `isStopping` returns true. Returns the number
 * of rendered deals.
 * @system the start
 */
export async function renderOldDeals(db: Database, isStopping = () => false): Promise<number> {
  // Written so that PostgreSQL uses a single index lookup, whatever the planner estimates.
  const [oldest] = await db.$client<
    { version: number }[]
  >`select render_version as version from deals order by render_version, id limit 1`
  if (oldest === undefined || oldest.version >= renderVersion) return 0
  // Each batch starts after the previous one, because the index refers to finished rows until the next
  // vacuum.
  let last = { version: -1, id: '0' }
  return inBatches(dealsAtOnce, async () => {
    if (isStopping()) return 0
    const old = await rerenderRows(
      db,
      (sql) => sql`
        render_version < ${renderVersion}
          and (render_version, id) > (${last.version}::smallint, ${last.id}::bigint)
        order by render_version, id`,
    )
    last = old.at(-1) ?? last
    return old.length
  })
}

/**
 * Updates the status of deals for which a date has passed or the meaning of the stage has changed, without
 * events. Stops early when `isStopping` returns true. Returns the number of updated deals.
 * @system the worker
 */
export async function renewStatuses(db: Database, isStopping = () => false): Promise<number> {
  let count = await inBatches(dealsAtOnce, async () => {
    if (isStopping()) return 0
    // Read before the update reads its own clock, so that an updated deal is not due again immediately.
    const now = new Date().toISOString()
    const due = await rerenderRows(db, (sql) => sql`status_changes_at <= ${now} order by status_changes_at`)
    return due.length
  })
  for (const stage of await readChangedStages(db)) {
    const ids = await db.$client<{ id: string }[]>`
      select id from deals where stage = ${stage.name} and stage_meaning <> ${meaningText(stage)}`
    for (let at = 0; at < ids.length && !isStopping(); at += dealsAtOnce) {
      const some = ids.slice(at, at + dealsAtOnce).map(({ id }) => id)
      count += (await rerenderRows(db, (sql) => sql`id = any(${some}::bigint[])`)).length
    }
  }
  return count
}

interface StoredRow {
  id: string
  version: number
  partnerId: number | null
  json: string
  given: number | null
}

/**
 * Renders a batch of deals again, in a transaction that holds the writers' lock. Returns their previous
 * state.
 */
async function rerenderRows(
  db: Database,
  condition: (sql: TransactionSql) => Fragment,
): Promise<StoredRow[]> {
  const asOf = { stageOf: makeStageOf(await readAllStages(db)), nowMs: Date.now() }
  return db.$client.begin(async (sql) => {
    await lockLists(sql, [])
    const rows = await sql<StoredRow[]>`
      select id, render_version as version, partner_id as "partnerId", json, given from deals
      where ${condition(sql)} limit ${dealsAtOnce}`
    if (rows.length === 0) return []
    const rendered = rows.map(({ id, partnerId, json, given }) => {
      const deal = parseKnown(json, given)
      return { id: BigInt(id), partnerId, json: renderDeal(deal), deal }
    })
    const saved = rendered.map((deal) => cellsToSave('split', deal, asOf))
    await updateDeals(sql, await linesOf(sql, saved))
    // A changed status affects the totals of a list even if the deals' JSON stays the same.
    const listIds = new Set([listOfAll, ...rendered.flatMap(({ partnerId }) => partnerId ?? [])])
    await growLists(
      sql,
      [...listIds].map((listId) => ({ listId })),
    )
    return [...rows]
  }) as Promise<StoredRow[]>
}
