import { Failure, anotherRuns, exitCodes } from './failures.ts'
import { holderName, refuseIfHeld } from './holder.ts'
import type { CopyState } from './state.ts'
import {
  type Cell,
  type Column,
  type ColumnKind,
  type DealRows,
  type Table,
  dealsTable,
  eventsTable,
  personsTable,
  versionColumns,
} from './tables.ts'
import type { Batch, Stored, Target } from './target.ts'

type Row = Record<string, unknown>

/** Runs a statement; `?` are its parameters. */
export type Query = (text: string, parameters?: unknown[]) => Promise<Row[]>

/** An open database. */
export interface Connection {
  query: Query
  /** Runs statements in one transaction. */
  transaction<T>(work: (query: Query) => Promise<T>): Promise<T>
  describe(): Promise<Record<string, string>>
  close(): Promise<void>
}

type Encode = (kind: ColumnKind, cell: Cell) => unknown

/** Returns rows as a list of values. */
export const valuesOf = (encode: Encode) => (columns: readonly Column[], rows: Cell[][]) => ({
  text: `values ${rows.map(() => `(${columns.map(() => '?').join()})`).join()}`,
  parameters: rows.flatMap((cells) => cells.map((cell, index) => encode(columns[index]!.kind, cell))),
})

/** How a database writes what standard SQL leaves open. */
export interface Dialect {
  quote: '"' | '`'
  types: Record<ColumnKind, string>
  /** What follows the columns of a table. */
  tableOptions: string
  /** Locks the selected row. */
  forUpdate: string
  /** Seconds since 1970, by the database's clock. */
  now: string
  /** Creates no table that would outlast the transaction. */
  hasTransactionalDdl: boolean
  /** Lists the columns of a table, whose name is the parameter, as `name`. */
  columnsOfTable: string
  /** Returns the source of an insert of these rows. */
  rows(columns: readonly Column[], rows: Cell[][]): { text: string; parameters: unknown[] }
  upsert(key: string, columns: string[]): string
  /** Reads a column as `decode` takes it. */
  select(name: string, kind: ColumnKind): string
  encode: Encode
  decode(kind: ColumnKind, value: unknown): Cell
}

const loadNumber: Column = { name: 'load_number', kind: 'counter', isRequired: true }

const tables: readonly Table[] = [
  {
    name: 'copy',
    columns: [
      { name: 'id', kind: 'counter', isRequired: true },
      { name: 'generation', kind: 'int64', isRequired: true },
      { name: 'holder', kind: 'word' },
      { name: 'renewed_at', kind: 'int64', isRequired: true },
      { name: 'state', kind: 'text', isRequired: true },
    ],
    key: ['id'],
  },
  { ...dealsTable, columns: [...dealsTable.columns, loadNumber] },
  personsTable,
  eventsTable,
]

const rowsAtOnce = 100
const rowsPerRead = 500

/** A copy in a SQL database. */
export class SqlTarget implements Target {
  private readonly connection: Connection
  private readonly dialect: Dialect
  private readonly prefix: string
  private generation = 0
  private pending: Promise<unknown> = Promise.resolve()

  constructor(connection: Connection, dialect: Dialect, prefix: string) {
    this.connection = connection
    this.dialect = dialect
    this.prefix = prefix
  }

  describe = () => this.connection.describe()

  async read(): Promise<Stored | null> {
    const columns = await this.columnsOf('copy')
    return columns.length === 0 ? null : readStored(await this.selectCopy(this.connection.query))
  }

  async probe(): Promise<void> {
    const { query, transaction } = this.connection
    const missing = await this.missing()
    if (missing.statements.length === 0) return
    const name = this.name('probe')
    if (!this.dialect.hasTransactionalDdl) {
      await query(`create table ${name} (id integer)`)
      await query(`drop table ${name}`)
      return
    }
    const undone = new Failure('undone')
    await transaction(async (query) => {
      await query(`create table ${name} (id integer)`)
      throw undone
    }).catch((error: unknown) => {
      if (error !== undone) throw error
    })
  }

  async claim(initial: CopyState): Promise<CopyState> {
    const { statements } = await this.missing()
    for (const statement of statements) await this.connection.query(statement)
    return this.connection.transaction(async (query) => {
      const { forUpdate, now } = this.dialect
      const row = await this.selectCopy(query, forUpdate)
      const stored = readStored(row)
      if (stored !== null) refuseIfHeld(stored.holder)
      this.generation = Number(row?.generation ?? 0) + 1
      const state = stored?.state ?? initial
      const values = [this.generation, holderName, JSON.stringify(state)]
      // Of two that insert the first row, one fails.
      await (row === undefined
        ? query(
            `insert into ${this.name('copy')} (id, generation, holder, state, renewed_at) values (1, ?, ?, ?, ${now})`,
            values,
          )
        : query(
            `update ${this.name('copy')} set generation = ?, holder = ?, state = ?, renewed_at = ${now} where id = 1`,
            values,
          ))
      return state
    })
  }

  renew = () => this.fenced(async () => {})

  release = () =>
    this.fenced((query) => query(`update ${this.name('copy')} set holder = null where id = 1`)).then(() => {})

  async write({ state, deals = [], removed = [], events = [], load }: Batch): Promise<void> {
    await this.fenced(async (query) => {
      await query(`update ${this.name('copy')} set state = ? where id = 1`, [JSON.stringify(state)])
      await this.delete(query, 'persons', 'deal_id', [...deals.map(({ id }) => id), ...removed])
      await this.delete(query, 'deals', 'id', removed)
      await this.insertDeals(query, deals, state.loadNumber)
      await this.insert(query, eventsTable, events)
      if (load === 'end') await this.sweep(query, state.loadNumber)
    })
  }

  async count(): Promise<number> {
    const [row] = await this.connection.query(`select count(*) as count from ${this.name('deals')}`)
    return Number(row!.count)
  }

  async countUnloaded({ loadNumber }: CopyState): Promise<number> {
    const [row] = await this.connection.query(
      `select count(*) as count from ${this.name('deals')} where load_number <> ?`,
      [loadNumber],
    )
    return Number(row!.count)
  }

  deals = () => this.list(dealsTable)

  versions = () => this.list({ ...dealsTable, columns: versionColumns })

  persons = () => this.list(personsTable)

  async drop(): Promise<void> {
    await this.fenced(async () => {})
    for (const { name } of tables.toReversed())
      await this.connection.query(`drop table if exists ${this.name(name)}`)
  }

  close = () => this.connection.close()

  private name = (table: string) => tableName(this.dialect, this.prefix, table)

  private async columnsOf(table: Table['name']): Promise<string[]> {
    const rows = await this.connection.query(this.dialect.columnsOfTable, [this.prefix + table])
    return rows.map(({ name }) => String(name))
  }

  /** Returns the statements that create what is missing. @throws Failure if a table is somebody else's */
  private async missing(): Promise<{ statements: string[] }> {
    const present = new Map<string, string[]>()
    for (const { name } of tables) present.set(name, await this.columnsOf(name))
    const foreign = tables.find(({ name }) => present.get(name)!.length > 0)
    if (present.get('copy')!.length === 0 && foreign !== undefined)
      throw new Failure(
        `the table ${this.prefix}${foreign.name} exists and is not a copy's: choose another --prefix, or drop it`,
        exitCodes.usage,
      )
    const statements = tables.flatMap((table) => {
      const columns = present.get(table.name)!
      if (columns.length === 0) return [createTable(this.dialect, this.prefix, table)]
      return table.columns
        .filter(({ name }) => !columns.includes(name))
        .map(
          (column) =>
            `alter table ${this.name(table.name)} add column ${definition(this.dialect, column, true)}`,
        )
    })
    return { statements }
  }

  private async selectCopy(query: Query, forUpdate = ''): Promise<Row | undefined> {
    const [row] = await query(
      `select generation, holder, state, ${this.dialect.now} - renewed_at as silent from ${this.name('copy')} where id = 1${forUpdate}`,
    )
    return row
  }

  /**
   * Runs statements in a transaction in which this run has the copy. The lock on the row lets no other take
   * it before the commit; one that was taken before makes it fail.
   */
  private fenced<T>(work: (query: Query) => Promise<T>): Promise<T> {
    const result = this.pending.then(() =>
      this.connection.transaction(async (query) => {
        const row = await this.selectCopy(query, this.dialect.forUpdate)
        if (Number(row?.generation) !== this.generation)
          throw anotherRuns(row === undefined ? 'it was reset' : String(row.holder ?? 'ended since'))
        await query(`update ${this.name('copy')} set renewed_at = ${this.dialect.now} where id = 1`)
        return work(query)
      }),
    )
    this.pending = result.catch(() => {})
    return result
  }

  private async insertDeals(query: Query, deals: DealRows[], load: number): Promise<void> {
    const table = { ...dealsTable, columns: [...dealsTable.columns, loadNumber] }
    await this.insert(
      query,
      table,
      deals.map(({ deal }) => [...deal, String(load)]),
    )
    await this.insert(
      query,
      personsTable,
      deals.flatMap(({ persons }) => persons),
    )
  }

  private async insert(query: Query, { name, columns, key }: Table, rows: Cell[][]): Promise<void> {
    const names = columns.map((column) => column.name)
    const others = names.filter((name) => !key.includes(name))
    const upsert = this.dialect.upsert(key.join(), others)
    for (const part of parts(rows, rowsAtOnce)) {
      const { text, parameters } = this.dialect.rows(columns, part)
      await query(`insert into ${this.name(name)} (${names.join()}) ${text} ${upsert}`, parameters)
    }
  }

  private async delete(query: Query, table: Table['name'], column: string, ids: bigint[]): Promise<void> {
    for (const part of parts(ids, rowsPerRead))
      await query(
        `delete from ${this.name(table)} where ${column} in (${part.map(() => '?').join()})`,
        part.map((id) => this.dialect.encode('int64', String(id))),
      )
  }

  private async sweep(query: Query, load: number): Promise<void> {
    const unloaded = `select id from ${this.name('deals')} where load_number <> ?`
    await query(`delete from ${this.name('persons')} where deal_id in (${unloaded})`, [load])
    await query(`delete from ${this.name('deals')} where load_number <> ?`, [load])
  }

  private async *list({ name, columns, key }: Table): AsyncIterable<Cell[]> {
    const { dialect } = this
    const selected = columns.map((column) => dialect.select(column.name, column.kind)).join()
    const first = key[0]!
    for (let after: string | null = null; ;) {
      const rows: Row[] = await this.connection.query(
        `select ${selected} from ${this.name(name)} ${after === null ? '' : `where ${first} > ?`} order by ${key.join()} limit ${rowsPerRead}`,
        after === null ? [] : [dialect.encode('int64', after)],
      )
      const cells = rows.map((row) =>
        columns.map((column) => dialect.decode(column.kind, row[column.name] ?? null)),
      )
      const last = cells.at(-1)?.[0] ?? null
      const isLast = rows.length < rowsPerRead
      // Those of the last deal may continue on the next page, which begins with it.
      const whole = isLast || key.length === 1 ? cells : cells.filter(([id]) => id !== last)
      yield* whole
      if (isLast) return
      after = whole.at(-1)![0]!
    }
  }
}

/** Returns the statements that create the tables. */
export const createTables = (dialect: Dialect, prefix: string) =>
  tables.map((table) => createTable(dialect, prefix, table))

function createTable(dialect: Dialect, prefix: string, { name, columns, key }: Table): string {
  const lines = columns.map((column) => `  ${definition(dialect, column, false)}`)
  return `create table ${tableName(dialect, prefix, name)} (\n${lines.join(',\n')},\n  primary key (${key.join(', ')})\n)${dialect.tableOptions}`
}

function definition(
  { types }: Dialect,
  { name, kind, isRequired = false }: Column,
  isAdded: boolean,
): string {
  // Rows that are there already have no value for an added column.
  return `${name} ${types[kind]}${isRequired && !isAdded ? ' not null' : ''}`
}

const tableName = ({ quote }: Dialect, prefix: string, table: string) => `${quote}${prefix}${table}${quote}`

function readStored(row: Row | undefined): Stored | null {
  if (row === undefined) return null
  const { holder, silent, state } = row
  return {
    state: JSON.parse(String(state)) as CopyState,
    holder: holder === null ? null : { name: String(holder), silentS: Number(silent) },
  }
}

function parts<T>(items: T[], most: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / most) }, (_, index) =>
    items.slice(index * most, (index + 1) * most),
  )
}
