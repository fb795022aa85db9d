import type { TransactionSql } from 'postgres'
import { type ReadDatabase, withReadOnly, withoutScans } from '#db/client.ts'
import type { TenantScope } from '../accounts/partner.ts'
import { isWithin } from '../accounts/store.ts'
import { portionsOf } from '../admission/scheduling.ts'
import { type Query } from './condition-store.ts'
import { fewMatches, searchOf } from './store.ts'
import type { DealSort } from './wire.ts'

interface StoredJson {
  json: string
  given: number | null
}

type Take = (deals: StoredJson[]) => Promise<void>

const idsAtOnce = 5000
const dealsAtOnce = 250

/**
 * Passes the matching deals to `take` in the given order, a few hundred at a time. First reads the ids in
 * order from one snapshot, using 8 bytes of memory per deal. Then reads each batch of deals when `take` is
 * ready, so no connection is held while `take` waits for a slow reader. Skips deals that have left the tenant
 * since the snapshot.
 */
export async function readMatching(
  db: ReadDatabase,
  query: Query,
  sort: DealSort,
  take: Take,
): Promise<void> {
  const ids = await readIds(db, query, sort)
  const read = async (start: number) => readJsons(db, query.tenant, ids.slice(start, start + dealsAtOnce))
  let reading = read(0)
  try {
    for (let start = 0; start < ids.length;) {
      const deals = await reading
      start += dealsAtOnce
      // The next batch is prefetched. An error surfaces when the batch is awaited.
      reading = read(start)
      reading.catch(() => {})
      for await (const portion of portionsOf(deals)) await take(portion)
    }
  } finally {
    // An export ends and frees its slot only after its last read has finished.
    await reading.catch(() => {})
  }
}

async function readIds(db: ReadDatabase, query: Query, sort: DealSort): Promise<BigInt64Array> {
  return withoutScans(db, async (sql) => {
    const search = searchOf(sql, query, sort)
    const { matches, walked, isOrdered, order } = search
    const { key, direction } = order
    const few = await fewMatches(sql, search)
    if (few !== null || !isOrdered) {
      await sql`set local enable_seqscan = on`
      return readCursor(
        sql,
        sql`
          select id from (${few?.query ?? sql`select * from deals where ${walked}`}) deals
          where ${matches} order by ${key} ${direction} nulls last, id ${direction}`,
      )
    }
    const parts: BigInt64Array[] = []
    // Runs the two queries one after the other, each in index order.
    for (const isKnown of [sql`is not null`, sql`is null`])
      parts.push(
        await readCursor(
          sql,
          sql`
            select id from deals where ${walked} and ${key} ${isKnown} and ${matches}
            order by ${key} ${direction}, id ${direction}`,
        ),
      )
    return joined(parts)
  })
}

/** Returns the ids that a query finds, reading a few thousand at a time. */
async function readCursor(sql: TransactionSql, query: ReturnType<TransactionSql>): Promise<BigInt64Array> {
  const parts: BigInt64Array[] = []
  await sql`declare matching no scroll cursor for ${query}`
  for (;;) {
    const rows = await sql<{ id: string }[]>`fetch ${sql.unsafe(String(idsAtOnce))} from matching`
    if (rows.length === 0) break
    parts.push(BigInt64Array.from(rows, ({ id }) => BigInt(id)))
  }
  await sql`close matching`
  return joined(parts)
}

function joined(parts: BigInt64Array[]): BigInt64Array {
  const whole = new BigInt64Array(parts.reduce((length, part) => length + part.length, 0))
  let length = 0
  for (const part of parts) {
    whole.set(part, length)
    length += part.length
  }
  return whole
}

async function readJsons(db: ReadDatabase, tenant: TenantScope, ids: BigInt64Array): Promise<StoredJson[]> {
  if (ids.length === 0) return []
  const rows = await withReadOnly(
    db,
    (sql) => sql<StoredJson[]>`
      select json, given from unnest(${Array.from(ids, String)}::bigint[]) with ordinality asked (id, place)
        join deals using (id)
      where ${isWithin(sql, tenant)} order by place`,
  )
  return [...rows]
}
