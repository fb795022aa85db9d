import { pipeline } from 'node:stream/promises'
import { setImmediate } from 'node:timers/promises'
import type { TransactionSql, Sql } from 'postgres'
import type { Database } from '#db/client.ts'
import type { RecordSource } from './record-source.ts'
import { throughFailover } from './through-failover.ts'

/** Records that are skipped because their id occurs again. Must be queried in line order. */
export interface Repeats {
  at(line: number): Promise<{ id: bigint; last: number } | null>
}

const repeatsAtOnce = 1000

/**
 * Finds repeated ids by reading the file once and sorting in the database, which saves memory. Starts again
 * if `connection` was lost.
 * @system imports
 */
export async function findRepeats<Raw>(
  connection: Sql,
  source: RecordSource<Raw>,
  isStopping: () => boolean,
): Promise<Repeats> {
  let isOpen = false
  const open = async (line: number) => {
    await connection`close all`
    await connection`drop table if exists record_ids`
    await connection`create temporary table record_ids (line bigint, id bigint)`
    await keepIds(connection, source)
    // The cursor is declared WITH HOLD, so that no snapshot blocks vacuuming during the import.
    await connection`
      declare repeats no scroll cursor with hold for
      select record.line, id, last
      from (select id, max(line) as last from record_ids group by id having count(*) > 1) repeated
        join record_ids record using (id)
      where record.line < last and record.line >= ${connection.unsafe(String(line))} order by record.line`
    isOpen = true
  }
  const fetchFrom = (line: number) =>
    throughFailover(async () => {
      try {
        if (!isOpen) await open(line)
        // Not prepared, because a statement prepared before the cursor exists has no columns.
        return await connection.unsafe<{ line: string; id: string; last: string }[]>(
          `fetch ${repeatsAtOnce} from repeats`,
        )
      } catch (error) {
        isOpen = false
        throw isSessionGone(error) ? Object.assign(error as Error, { code: 'CONNECTION_CLOSED' }) : error
      }
    }, isStopping)
  let page = await fetchFrom(1)
  let index = 0
  return {
    async at(line) {
      if (index === page.length && page.length === repeatsAtOnce) {
        page = await fetchFrom(line)
        index = 0
      }
      const repeat = page[index]
      if (repeat === undefined || Number(repeat.line) !== line) return null
      index++
      return { id: BigInt(repeat.id), last: Number(repeat.last) }
    },
  }
}

/** Returns whether the error means that the table or cursor belongs to another, lost connection. */
const isSessionGone = (error: unknown) => ['34000', '42P01'].includes((error as { code?: string }).code ?? '')

// Number of lines between pauses. Lines may all come from one chunk of the file, and this many take a few
// milliseconds.
const turnLines = 1000

/** Yields the lines and ids of the records in the text format of COPY. */
async function* idsIn<Raw>(source: RecordSource<Raw>): AsyncGenerator<string> {
  let rows = ''
  let lines = 0
  for await (const { line, raw } of source.items()) {
    // Lines without an id are counted as well, so that they also lead to pauses.
    const isTurn = ++lines % turnLines === 0
    if (isTurn) await setImmediate()
    const id = source.idOf(raw)
    if (id !== null) rows += `${line}\t${id}\n`
    if (!isTurn || rows === '') continue
    yield rows
    rows = ''
  }
  yield rows
}

const keepIds = async <Raw>(connection: Sql, source: RecordSource<Raw>): Promise<void> =>
  pipeline(idsIn(source), await connection`copy record_ids from stdin`.writable())

/** A batch of an import, counted from 1. */
export interface ImportBatch {
  importId: string
  batch: number
}

/**
 * Records that this transaction writes the batch, while the writers' lock is held. Returns false if an
 * earlier transaction has already written the batch.
 * @system imports
 */
export async function recordBatch(sql: TransactionSql, { importId, batch }: ImportBatch): Promise<boolean> {
  const recorded = await sql`
    insert into import_batches as known (import_id, batch) values (${importId}, ${batch})
    on conflict (import_id) do update set batch = excluded.batch, written_at = now()
    where known.batch < excluded.batch returning batch`
  return recorded.length > 0
}

/** Deletes the batch records of an ended import, and of imports whose process died. @system imports */
export async function deleteBatches({ $client: sql }: Database, importId: string): Promise<void> {
  await sql`
    delete from import_batches where import_id = ${importId} or written_at < now() - interval '1 day'`
}
