import { type Dialect, type DialectName, dialects, types } from './dialects.ts'
import { Failure, takenBy, exitCodes } from './failures.ts'
import type { CopyState } from './state.ts'
import { type Cell, type DealRows, type Table, dealsTable, eventsTable, personsTable } from './tables.ts'
import { type Batch, type Stored, type Target, requireFree, runId } from './target.ts'

/** Runs a statement that uses `?` as placeholder. Returns the rows. */
export type Query = (text: string, parameters?: unknown[]) => Promise<Record<string, unknown>[]>

export interface Connection {
  query: Query
  /** Runs statements in one transaction. */
  transaction(work: (query: Query) => Promise<void>): Promise<unknown>
  close(): Promise<void>
}

/** Returns the `transaction` function of a connection that runs one statement at a time. */
export const transactions =
  (query: Query, begin: string): Connection['transaction'] =>
  async (work) => {
    await query(begin)
    try {
      await work(query)
      await query('commit')
    } catch (error) {
      // Some errors, such as a full disk, have already rolled back the transaction.
      await query('rollback').catch(() => {})
      throw error
    }
  }

const copyTable: Table = {
  name: 'copy',
  columns: [
    { name: 'id', kind: 'int64' },
    { name: 'holder', kind: 'word' },
    { name: 'renewed_at', kind: 'int64' },
    { name: 'state', kind: 'text' },
  ],
  key: ['id'],
}
const loadNumber = { name: 'load_number', kind: 'int64' } as const
const loadedTable: Table = { ...dealsTable, columns: [...dealsTable.columns, loadNumber] }
const tables = [copyTable, loadedTable, personsTable, eventsTable]

const dealsPerRead = 500

export class SqlTarget implements Target {
  private readonly connection: Connection
  private readonly kind: DialectName
  private readonly dialect: Dialect
  private readonly prefix: string

  constructor(connection: Connection, kind: DialectName, prefix: string) {
    this.connection = connection
    this.kind = kind
    this.dialect = dialects[kind]
    this.prefix = prefix
  }

  async read(): Promise<Stored | null> {
    const columns = await this.columnsOf(copyTable)
    return columns.length === 0 ? null : this.readStored(this.connection.query)
  }

  async probe(): Promise<void> {
    const { query } = this.connection
    if ((await this.missing()).length === 0) return
    await query(`create table ${this.name('probe')} (id integer)`)
    await query(`drop table ${this.name('probe')}`)
  }

  async acquire(initial: CopyState): Promise<CopyState> {
    const { query } = this.connection
    for (const statement of await this.missing()) await query(statement)
    const previous = await this.readStored(query)
    if (previous !== null) requireFree(previous)
    const { now } = this.dialect
    // If two runs insert the first row, one insert fails; if two runs replace the same lease, one update
    // changes no row.
    await (previous === null
      ? query(`insert into ${this.name('copy')} (id, holder, renewed_at, state) values (1, ?, ${now}, ?)`, [
          runId,
          JSON.stringify(initial),
        ])
      : query(`update ${this.name('copy')} set holder = ?, renewed_at = ${now} where holder = ?`, [
          runId,
          previous.name,
        ]))
    return (await this.requireLease(query)).state
  }

  async renew(): Promise<void> {
    const { query } = this.connection
    await query(`update ${this.name('copy')} set renewed_at = ${this.dialect.now} where holder = ?`, [runId])
    await this.requireLease(query)
  }

  async release(): Promise<void> {
    await this.connection.query(`update ${this.name('copy')} set holder = '' where holder = ?`, [runId])
  }

  async write({ state, deals = [], removed = [], events = [], load }: Batch): Promise<void> {
    await this.connection.transaction(async (query) => {
      // Locks the row, so that no other run can take over the copy before the commit.
      await query(
        `update ${this.name('copy')} set state = ?, renewed_at = ${this.dialect.now} where holder = ?`,
        [JSON.stringify(state), runId],
      )
      await this.requireLease(query)
      await this.delete(query, 'persons', 'deal_id', [...deals.map(({ id }) => id), ...removed])
      await this.delete(query, 'deals', 'id', removed)
      const rows = deals.map(({ deal }) => [...deal, String(state.loadNumber)])
      await this.insert(query, loadedTable, rows)
      const persons = deals.flatMap((each) => each.persons)
      await this.insert(query, personsTable, persons)
      await this.insert(query, eventsTable, events)
      if (load !== 'end') return
      const ids = `select id from ${this.name('deals')} ${unloaded(state)}`
      await query(`delete from ${this.name('persons')} where deal_id in (${ids})`)
      await query(`delete from ${this.name('deals')} ${unloaded(state)}`)
    })
  }

  count = () => this.countWhere('')

  countUnloaded = (state: CopyState) => this.countWhere(unloaded(state))

  async *deals(): AsyncIterable<DealRows> {
    for (let condition = ''; ;) {
      const deals = await this.select(dealsTable, `${condition} order by id limit ${dealsPerRead}`)
      if (deals.length === 0) return
      const [first, last] = [deals[0]![0], deals.at(-1)![0]]
      const persons = await this.select(personsTable, `where deal_id between ${first} and ${last}`)
      for (const deal of deals)
        yield { id: BigInt(deal[0]!), deal, persons: persons.filter(([dealId]) => dealId === deal[0]) }
      condition = `where id > ${last}`
    }
  }

  async drop(): Promise<void> {
    await this.renew()
    for (const { name } of tables.toReversed())
      await this.connection.query(`drop table if exists ${this.name(name)}`)
  }

  close = () => this.connection.close()

  private name = (table: string) => this.prefix + table

  private async columnsOf({ name }: Table): Promise<string[]> {
    const rows = await this.connection.query(this.dialect.columnsOfTable, [this.name(name)])
    return rows.map((row) => String(row.name))
  }

  /** Returns the statements that create missing tables and columns. @throws Failure for a foreign table */
  private async missing(): Promise<string[]> {
    const statements: string[] = []
    let isCopy = true
    for (const table of tables) {
      const columns = await this.columnsOf(table)
      if (table === copyTable) isCopy = columns.length > 0
      if (!isCopy && columns.length > 0)
        throw new Failure(
          `the table ${this.name(table.name)} exists and does not belong to a copy: choose another --prefix, or drop it`,
          exitCodes.usage,
        )
      if (columns.length === 0) statements.push(createTable(this.kind, this.prefix, table))
      else
        for (const { name, kind } of table.columns.filter((column) => !columns.includes(column.name)))
          statements.push(`alter table ${this.name(table.name)} add column ${name} ${types[kind][this.kind]}`)
    }
    return statements
  }

  private async readStored(query: Query): Promise<Stored | null> {
    const [row] = await query(
      `select holder, state, ${this.dialect.now} - renewed_at as silent from ${this.name('copy')}`,
    )
    if (row === undefined) return null
    const { holder, silent, state } = row
    return { name: String(holder), silentS: Number(silent), state: JSON.parse(String(state)) as CopyState }
  }

  private async requireLease(query: Query): Promise<Stored> {
    const stored = await this.readStored(query)
    if (stored?.name === runId) return stored
    throw takenBy(stored?.name || 'it has ended, or removed the copy')
  }

  private async countWhere(condition: string): Promise<number> {
    const [row] = await this.connection.query(
      `select count(*) as count from ${this.name('deals')} ${condition}`,
    )
    return Number(row!.count)
  }

  private async insert(query: Query, { name, columns, key }: Table, rows: Cell[][]): Promise<void> {
    const { store, source, upsert, rowsAtOnce } = this.dialect
    const names = columns.map((column) => column.name)
    const others = names.filter((column) => !key.includes(column))
    const values = rows.map((cells) =>
      cells.map((cell, index) => (cell === null ? null : (store[columns[index]!.kind]?.(cell) ?? cell))),
    )
    for (const part of partsOf(values, rowsAtOnce)) {
      const { text, parameters } = source(this.name(name), columns, part)
      await query(
        `insert into ${this.name(name)} (${names.join()}) ${text} ${upsert(key.join(), others)}`,
        parameters,
      )
    }
  }

  private async delete(query: Query, table: string, column: string, ids: bigint[]): Promise<void> {
    if (ids.length > 0) await query(`delete from ${this.name(table)} where ${column} in (${ids.join()})`)
  }

  private async select({ name, columns }: Table, rest: string): Promise<Cell[][]> {
    const { read } = this.dialect
    const selected = columns.map(
      (column) => `${read[column.kind]?.(column.name) ?? column.name} as ${column.name}`,
    )
    const rows = await this.connection.query(`select ${selected.join()} from ${this.name(name)} ${rest}`)
    return rows.map((row) =>
      columns.map((column) => (row[column.name] === null ? null : String(row[column.name]))),
    )
  }
}

/** Maximum number of characters in a statement. These are at most 12 MB; MariaDB accepts 16 MB by default. */
const charactersMax = 4_000_000

/**
 * Splits rows into parts of at most `rowsAtOnce` rows and `charactersMax` characters. A row that exceeds the
 * limit forms its own part.
 */
export function* partsOf(rows: readonly unknown[][], rowsAtOnce: number): Generator<unknown[][]> {
  let part: unknown[][] = []
  let characters = 0
  for (const row of rows) {
    const more = row.reduce<number>((sum, cell) => sum + String(cell ?? '').length, 0)
    if (part.length > 0 && (part.length === rowsAtOnce || characters + more > charactersMax)) {
      yield part
      part = []
      characters = 0
    }
    part.push(row)
    characters += more
  }
  if (part.length > 0) yield part
}

const unloaded = (state: CopyState) => `where load_number <> ${state.loadNumber}`

/** Returns the statements that create all tables. */
export const ddlOf = (kind: DialectName, prefix: string) =>
  tables.map((table) => `${createTable(kind, prefix, table)};\n`).join('\n')

function createTable(kind: DialectName, prefix: string, { name, columns, key }: Table): string {
  const lines = columns.map((column) => `${column.name} ${types[column.kind][kind]}`)
  lines.push(`primary key (${key.join(', ')})`)
  return `create table ${prefix}${name} (\n  ${lines.join(',\n  ')}\n)${dialects[kind].tableOptions}`
}
