import type { StatementSync } from 'node:sqlite'
import { usage } from './failures.ts'
import { type Connection, type Query, transactions } from './sql-target.ts'

/** Opens a SQLite database file. */
export async function openSqlite(path: string): Promise<Connection> {
  const { DatabaseSync } = await loadSqlite()
  const database = new DatabaseSync(path)
  // With a write-ahead log, readers do not block the writer, and the writer does not block readers.
  for (const setting of ['busy_timeout = 30000', 'journal_mode = wal', 'synchronous = full'])
    database.exec(`pragma ${setting}`)
  // Caches the last statement, because rows are inserted one by one.
  let last: { text: string; statement: StatementSync } | undefined
  const query: Query = async (text, parameters = []) => {
    if (last?.text !== text) {
      last = { text, statement: database.prepare(text) }
      last.statement.setReadBigInts(true)
    }
    return last.statement.all(...(parameters as string[]))
  }
  return { query, transaction: transactions(query, 'begin immediate'), close: async () => database.close() }
}

async function loadSqlite(): Promise<typeof import('node:sqlite')> {
  const warn = process.emitWarning
  // Node 22 to 24 print a warning that the module is experimental.
  process.emitWarning = () => {}
  try {
    return await import('node:sqlite')
  } catch {
    throw usage(
      `SQLite requires Node 22.13 or newer, and this is ${process.version}; the other targets do not require it`,
    )
  } finally {
    process.emitWarning = warn
  }
}
