import type { Column, ColumnKind } from './tables.ts'

export type DialectName = 'postgres' | 'mysql' | 'sqlite'

/** The SQL that differs between databases. */
export interface Dialect {
  /** Appended to `create table`. */
  tableOptions: string
  /** An expression for the database's time in seconds since 1970. */
  now: string
  /** A query for the names of a table's columns; its parameter is the table. */
  columnsOfTable: string
  /** Maximum rows per insert. */
  rowsAtOnce: number
  /** Returns the part of an insert that contains its rows. */
  source(
    table: string,
    columns: readonly Column[],
    rows: unknown[][],
  ): { text: string; parameters: unknown[] }
  /** Returns the part of an insert that updates existing rows. */
  upsert(key: string, others: string[]): string
  /** Converts cells for storage; other kinds are stored as text. */
  store: Partial<Record<ColumnKind, (cell: string) => unknown>>
  /** Returns expressions that read columns as cells; other kinds are read as they are. */
  read: Partial<Record<ColumnKind, (name: string) => string>>
}

const onConflict = (key: string, others: string[]) =>
  `on conflict (${key}) do update set ${others.map((name) => `${name} = excluded.${name}`).join()}`

const flag = {
  store: (cell: string) => (cell === 'true' ? 1 : 0),
  read: (name: string) => `case when ${name} then 'true' when not ${name} then 'false' end`,
}

/** The column type of each kind. */
export const types: Record<ColumnKind, Record<DialectName, string>> = {
  int64: { postgres: 'bigint', mysql: 'bigint', sqlite: 'integer' },
  // VARCHARs would exceed MySQL's maximum row size.
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
  // A single parameter: thousands of them would cost more than the rows.
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
    // Independent of the session's time zone and date style.
    time: (name) => `to_char(${name} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  },
}

const mysql: Dialect = {
  tableOptions: ' engine=InnoDB row_format=dynamic default charset=utf8mb4 collate=utf8mb4_unicode_ci',
  now: 'unix_timestamp()',
  columnsOfTable:
    'select column_name as name from information_schema.columns where table_schema = database() and table_name = ?',
  // Keeps packets below MySQL's limit.
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
