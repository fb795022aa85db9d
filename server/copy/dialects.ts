import type { Column, ColumnKind } from './tables.ts'

// What differs between the databases; all other SQL is the same for each.

export type DialectName = 'postgres' | 'mysql' | 'sqlite'

export interface Dialect {
  /** What follows the columns of a new table. */
  tableOptions: string
  /** Seconds since 1970, by the database's clock. */
  now: string
  /** Lists the columns of a table, whose name is the parameter, as `name`. */
  columnsOfTable: string
  /** How many rows one statement inserts. */
  rowsAtOnce: number
  /** Returns what an insert into a table takes its rows from. */
  source(
    table: string,
    columns: readonly Column[],
    rows: unknown[][],
  ): { text: string; parameters: unknown[] }
  /** Returns what an insert does with a row that is there already. */
  upsert(key: string, others: string[]): string
  /** How cells of a kind are stored, where it is not as text. */
  store: Partial<Record<ColumnKind, (cell: string) => unknown>>
  /** How columns of a kind are read as the text of a cell. */
  read: Partial<Record<ColumnKind, (name: string) => string>>
}

const onConflict = (key: string, others: string[]) =>
  `on conflict (${key}) do update set ${others.map((name) => `${name} = excluded.${name}`).join()}`

const flag = {
  store: (cell: string) => (cell === 'true' ? 1 : 0),
  read: (name: string) => `case when ${name} then 'true' when not ${name} then 'false' end`,
}

/** The type of a column. */
export const types: Record<ColumnKind, Record<DialectName, string>> = {
  int64: { postgres: 'bigint', mysql: 'bigint', sqlite: 'integer' },
  // A row of VARCHARs would be longer than MySQL allows.
  text: { postgres: 'text', mysql: 'mediumtext', sqlite: 'text' },
  word: { postgres: 'text', mysql: 'varchar(191)', sqlite: 'text' },
  double: { postgres: 'double precision', mysql: 'double', sqlite: 'real' },
  money: { postgres: 'numeric', mysql: 'decimal(65,2)', sqlite: 'numeric' },
  flag: { postgres: 'boolean', mysql: 'boolean', sqlite: 'boolean' },
  time: { postgres: 'timestamptz', mysql: 'datetime(3)', sqlite: 'text' },
}

const postgres: Dialect = {
  tableOptions: '',
  now: 'extract(epoch from clock_timestamp())::bigint',
  columnsOfTable:
    'select column_name as name from information_schema.columns where table_schema = current_schema() and table_name = ?',
  rowsAtOnce: 500,
  // One parameter: thousands would cost more than the rows.
  source: (table, columns, rows) => ({
    text: `select ${columns.map(({ name }) => name).join()} from json_populate_recordset(null::${table}, ?::text::json)`,
    parameters: [
      JSON.stringify(
        rows.map((row) => Object.fromEntries(columns.map(({ name }, index) => [name, row[index]]))),
      ),
    ],
  }),
  upsert: onConflict,
  store: { flag: flag.store },
  read: {
    flag: flag.read,
    // Does not depend on the time zone and date style of the session.
    time: (name) => `to_char(${name} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  },
}

const mysql: Dialect = {
  tableOptions: ' engine=InnoDB row_format=dynamic default charset=utf8mb4 collate=utf8mb4_unicode_ci',
  now: 'unix_timestamp()',
  columnsOfTable:
    'select column_name as name from information_schema.columns where table_schema = database() and table_name = ?',
  // MySQL limits the size of a packet.
  rowsAtOnce: 100,
  source: (_table, _columns, rows) => ({ text: 'values ?', parameters: [rows] }),
  upsert: (_key, others) =>
    `on duplicate key update ${others.map((name) => `${name} = values(${name})`).join()}`,
  store: { flag: flag.store, time: (cell) => cell.slice(0, -1) },
  read: { flag: flag.read, time: (name) => `concat(replace(${name}, ' ', 'T'), 'Z')` },
}

const sqlite: Dialect = {
  tableOptions: '',
  now: `cast(strftime('%s', 'now') as integer)`,
  columnsOfTable: 'select name from pragma_table_info(?)',
  rowsAtOnce: 1,
  source: (_table, columns, [row]) => ({
    text: `values (${columns.map(() => '?').join()})`,
    parameters: row!,
  }),
  upsert: onConflict,
  store: { flag: flag.store, double: Number },
  read: { flag: flag.read },
}

export const dialects: Record<DialectName, Dialect> = { postgres, mysql, sqlite }
