import type { Fragment, ISql, Row } from 'postgres'
import type { Database } from '#db/client.ts'
import type { Reach } from '../../accounts/partner.ts'
import type { Zone } from '../../protocol/zone.ts'
import { portionsOf } from '../portions.ts'
import { type TimeField, columnOf, timeFields } from './columns.ts'
import { conditionOf, timeOf } from './condition-store.ts'
import type { Cursor, DealFilter, DealSort, SortField } from './wire.ts'

/** A matching deal, and the cursor after it. */
export interface FoundDeal {
  json: string
  cursor: Cursor
}

/** How many deals are scanned in order before all matches are looked up. */
const walkLength = 3000

/**
 * Returns at most `limit` matching deals within reach, in the given order, after the cursor; unknown values
 * sort last.
 * Which plan is fast depends on how common the matches are, and the planner guesses that badly. So a bounded
 * number of deals is scanned in order first, which finds common matches at once; only when that yields too
 * few are all matches looked up, by their words or one by one, and sorted.
 */
export async function findDeals(
  db: Database,
  reach: Reach,
  filter: DealFilter,
  zone: Zone,
  sort: DealSort,
  cursor: Cursor | null,
  limit: number,
): Promise<FoundDeal[]> {
  const sql = db.$client
  const order = orderOf(sql, sort)
  const matches = conditionOf(sql, reach, filter, zone)
  const found: FoundDeal[] = []
  if (cursor === null || cursor.key !== null) {
    const after =
      cursor === null
        ? sql`true`
        : sql`(${order.key}, id) ${order.beyond} (${cursor.key}::text::${order.type}, ${String(cursor.id)}::bigint)`
    if (sort.field === 'lastModified' && reach !== 0) {
      const walked = await sql<(FoundRow & { walked: number })[]>`
        with walked as materialized (
          select * from deals where partner_id = ${reach} and last_modified is not null and ${after}
            order by last_modified ${order.direction}, id ${order.direction} limit ${walkLength}
        ), matching as (
          select id, json, last_modified::text as key from walked where ${matches}
            order by last_modified ${order.direction}, id ${order.direction} limit ${limit}
        )
        select id, json, key, null::integer as walked from matching
        union all select null, null, null, count(*)::integer from walked`
      const { walked: length } = walked.pop()!
      if (walked.length === limit || length < walkLength) found.push(...walked.map(toFound))
      else found.push(...(await findAmongAll(sql, matches, after, order, limit)))
    } else {
      found.push(...(await findAmongAll(sql, matches, after, order, limit)))
    }
  }
  if (found.length < limit) {
    const after =
      cursor === null || cursor.key !== null
        ? sql`true`
        : sql`id ${order.beyond} ${String(cursor.id)}::bigint`
    const rows = await sql<FoundRow[]>`
      select id, json, null as key from deals where ${matches} and ${order.key} is null and ${after}
        order by id ${order.direction} limit ${limit - found.length}`
    found.push(...rows.map(toFound))
  }
  return found
}

interface FoundRow extends Row {
  id: string
  json: string
  key: string | null
}

const toFound = ({ id, json, key }: FoundRow): FoundDeal => ({ json, cursor: { key, id: BigInt(id) } })

async function findAmongAll(
  sql: ISql,
  matches: Fragment,
  after: Fragment,
  order: Order,
  limit: number,
): Promise<FoundDeal[]> {
  // Sorted by an expression without an index, so that none is scanned in the hope of early matches.
  const rows = await sql<FoundRow[]>`
    select id, json, ${order.key}::text as key from deals
      where ${matches} and ${order.key} is not null and ${after}
    order by ${order.unindexed} ${order.direction}, id ${order.direction} limit ${limit}`
  return rows.map(toFound)
}

/** Returns the number of matching deals and their total amount in dollars. */
export async function countDeals(
  db: Database,
  reach: Reach,
  filter: DealFilter,
  zone: Zone,
): Promise<{ count: number; amount: number }> {
  const sql = db.$client
  const [row] = await sql<[{ count: number; amount: number }]>`
    select count(*)::float8 as count, coalesce(sum(amount), 0)::float8 as amount from deals
      where ${conditionOf(sql, reach, filter, zone)}`
  return row
}

/**
 * Passes the matching deals to `take`, in the given order, some hundreds at a time, from one snapshot and in
 * constant memory. Holds a connection until `take` has taken all or throws.
 */
export async function readMatching(
  db: Database,
  reach: Reach,
  filter: DealFilter,
  zone: Zone,
  sort: DealSort,
  take: (jsons: string[]) => Promise<void>,
): Promise<void> {
  await db.$client.begin('read only', async (sql) => {
    const order = orderOf(sql, sort)
    // `take` has limits of its own; this one only ends abandoned queries.
    await sql`set local idle_in_transaction_session_timeout = '15min'`
    await sql`
      declare matching no scroll cursor for select json from deals where ${conditionOf(sql, reach, filter, zone)}
      order by ${order.key} ${order.direction} nulls last, id ${order.direction}`
    for (;;) {
      const rows = await sql<{ json: string }[]>`fetch 250 from matching`
      if (rows.length === 0) return
      for await (const portion of portionsOf(rows.map(({ json }) => json))) await take(portion)
    }
  })
}

interface Order {
  key: Fragment
  /** The same expression in a form that no index matches. */
  unindexed: Fragment
  type: Fragment
  direction: Fragment
  /** The condition that a deal comes after the cursor. */
  beyond: Fragment
}

const textFields: readonly SortField[] = ['city', 'state', 'stage', 'pipeline']

const isTime = (field: SortField): field is TimeField => (timeFields as readonly string[]).includes(field)

function typeOf(field: SortField): string {
  if (field === 'dealname' || textFields.includes(field)) return 'text'
  if (field === 'amount' || field === 'systemSize') return 'float8'
  return 'timestamptz'
}

function keyOf(sql: ISql, field: SortField): Fragment {
  if (field === 'dealname') return sql.unsafe('name_key')
  if (textFields.includes(field)) return sql.unsafe(`lower(${columnOf(field)}) collate "C"`)
  return isTime(field) ? timeOf(sql, field) : sql.unsafe(columnOf(field))
}

function orderOf(sql: ISql, { field, direction }: DealSort): Order {
  const key = keyOf(sql, field)
  return {
    key,
    unindexed: field === 'lastModified' ? sql`coalesce(last_modified, now())` : key,
    type: sql.unsafe(typeOf(field)),
    direction: sql.unsafe(direction),
    beyond: sql.unsafe(direction === 'asc' ? '>' : '<'),
  }
}
