import type { StatementSync } from 'node:sqlite'
import { usage } from './failures.ts'
import { type Connection, type Query, transactions } from './sql-target.ts'

/** Opens a database file of SQLite. */
export async function openSqlite(path: string): Promise<Connection> {
  const { DatabaseSync } = await loadSqlite()
  const database = new DatabaseSync(path)
  // Readers never wait for the writer, nor it for them.
  for (const setting of ['busy_timeout = 30000', 'journal_mode = wal', 'synchronous = full'])
    database.exec(`pragma ${setting}`)
  // Rows are written one by one, with the same statement.
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
  // Node 22 to 24 call the module experimental each time.
  process.emitWarning = () => {}
  try {
    return await import('node:sqlite')
  } catch {
    throw usage(
      `SQLite needs Node 22.13 or newer, and this is ${process.version}; PostgreSQL, MariaDB, MySQL and CSV do not`,
    )
  } finally {
    process.emitWarning = warn
  }
}
