import { pipeline } from 'node:stream/promises'
import type { TransactionSql } from 'postgres'
import { portionsOf } from '../admission/portions.ts'
import { cellValues, columnUpdates, nullCell, writtenColumns } from './written-columns.ts'

/**
 * Inserts deals from rows in the form `copied`. The transaction must not send another statement until this
 * has completed.
 * @system the writer of deals
 */
export async function copyDeals(sql: TransactionSql, rows: string[]): Promise<void> {
  const lines = async function* () {
    for await (const portion of portionsOf(rows)) yield portion.join('')
  }
  await pipeline(
    lines,
    await sql`copy deals (${sql.unsafe(writtenColumns.join(', '))}) from stdin`.writable(),
  )
}

/** Updates deals from rows in the form `split`. @system the writer of deals */
export async function updateDeals(sql: TransactionSql, rows: string[]): Promise<void> {
  await sql`
    insert into deals (${sql.unsafe(writtenColumns.join(', '))})
    select ${sql.unsafe(cellValues)} from (values ${sql(rows.map((row) => [row]))}) as row (line),
      string_to_array(row.line, chr(9), ${nullCell}) as cell
    on conflict (id) do update set ${sql.unsafe(columnUpdates)}`
}
