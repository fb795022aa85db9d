import type { Column, ColumnKind } from './tables.ts'

export type DialectName = 'postgres' | 'mysql' | 'sqlite'

/** The parts of SQL that differ between databases. */
export interface Dialect {
  /** Text to append to `create table`. */
  tableOptions: string
  /** An expression for the database's current time in seconds since 1970. */
  now: string
  /** A query for the column names of a table, with the table as its parameter. */
  columnsOfTable: string
  /** Maximum number of rows per insert. */
  rowsAtOnce: number
  /** Returns the part of an `insert` that provides the rows. */
  source(
    table: string,
    columns: readonly Column[],
    rows: unknown[][],
  ): { text: string; parameters: unknown[] }
  /** Returns the part of an `insert` that updates existing rows. */
  upsert(key: string, others: string[]): string
  /** Functions that convert cells for storage by kind of column; all other kinds are stored as text. */
  store: Partial<Record<ColumnKind, (cell: string) => unknown>>
  /** Functions that return an expression to read a column as a cell; all other kinds need no conversion. */
  read: Partial<Record<ColumnKind, (name: string) => string>>
}

const onConflict = (key: string, others: string[]) =>
  `on conflict (${key}) do update set ${others.map((name) => `${name} = excluded.${name}`).join()}`

const flag = {
  store: (cell: string) => (cell === 'true' ? 1 : 0),
  read: (name: string) => `case when ${name} then 'true' when not ${name} then 'false' end`,
}

/** The column type for each kind in each database. */
export const types: Record<ColumnKind, Record<DialectName, string>> = {
  int64: { postgres: 'bigint', mysql: 'bigint', sqlite: 'integer' },
  // With VARCHAR, rows would exceed MySQL's maximum size.
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
  // All rows are passed as one parameter, because thousands of parameters take longer than the rows
  // themselves.
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
    // The result does not depend on the session's time zone or date style.
    time: (name) => `to_char(${name} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  },
}

const mysql: Dialect = {
  tableOptions: ' engine=InnoDB row_format=dynamic default charset=utf8mb4 collate=utf8mb4_unicode_ci',
  now: 'unix_timestamp()',
  columnsOfTable:
    'select column_name as name from information_schema.columns where table_schema = database() and table_name = ?',
  // Keeps packets smaller than MySQL's limit.
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
