import { Failure } from './failures.ts'
import { type Connection, type Dialect, type Query, valuesOf } from './sql-target.ts'
import type { Cell } from './tables.ts'

type Sqlite = typeof import('node:sqlite')

/** Opens a database file of SQLite. */
export async function openSqlite(path: string): Promise<Connection> {
  const { DatabaseSync } = await loadSqlite()
  const database = new DatabaseSync(path)
  // Readers never wait for the writer, nor it for them.
  for (const setting of ['busy_timeout = 30000', 'journal_mode = wal', 'synchronous = full'])
    database.exec(`pragma ${setting}`)
  const query: Query = async (text, parameters = []) => {
    const statement = database.prepare(text)
    statement.setReadBigInts(true)
    return statement.all(...(parameters as string[]))
  }
  return {
    query,
    async transaction(work) {
      database.exec('begin immediate')
      try {
        const result = await work(query)
        database.exec('commit')
        return result
      } catch (error) {
        rollBack(database)
        throw error
      }
    },
    async describe() {
      const [row] = await query('select sqlite_version() as version')
      return { database: `SQLite ${String(row!.version)}`, file: path }
    },
    close: async () => database.close(),
  }
}

function rollBack(database: { exec(text: string): void }): void {
  try {
    database.exec('rollback')
  } catch {
    // SQLite has done it already, such as when the disk is full.
  }
}

async function loadSqlite(): Promise<Sqlite> {
  const warn = process.emitWarning
  // Node 22 to 24 call the module experimental each time.
  process.emitWarning = () => {}
  try {
    return await import('node:sqlite')
  } catch {
    throw new Failure(
      `SQLite needs Node 22.13 or newer, and this is ${process.version}; PostgreSQL, MariaDB, MySQL and CSV do not`,
      2,
    )
  } finally {
    process.emitWarning = warn
  }
}

const encode: Dialect['encode'] = (kind, cell) => {
  if (cell === null) return null
  if (kind === 'int64' || kind === 'counter') return BigInt(cell)
  return kind === 'flag' ? Number(cell === 'true') : cell
}

export const sqliteDialect: Dialect = {
  quote: '"',
  types: {
    int64: 'integer',
    text: 'text',
    word: 'text',
    double: 'real',
    money: 'numeric',
    flag: 'boolean',
    time: 'text',
    counter: 'integer',
    json: 'text',
  },
  tableOptions: '',
  forUpdate: '',
  now: `cast(strftime('%s', 'now') as integer)`,
  hasTransactionalDdl: true,
  columnsOfTable: 'select name from pragma_table_info(?)',
  rows: valuesOf(encode),
  upsert: (key, columns) =>
    `on conflict (${key}) do update set ${columns.map((name) => `${name} = excluded.${name}`).join()}`,
  select: (name) => name,
  encode,
  decode(kind, value): Cell {
    if (value === null) return null
    return kind === 'flag' ? String(Number(value) === 1) : String(value)
  },
}
