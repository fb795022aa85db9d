import { readFileSync } from 'node:fs'
import { type PeerCertificate, checkServerIdentity } from 'node:tls'
import postgres from 'postgres'
import type { Connection, Dialect, Query } from './sql-target.ts'
import type { Cell } from './tables.ts'
import type { ServerTarget, Tls } from './target-url.ts'

const verbatim = (value: unknown) => String(value)

// Values are sent and read as text: the driver would round and reformat some.
const textTypes = {
  text: {
    to: 25,
    from: [16, 20, 25, 114, 701, 1184, 1700],
    serialize: verbatim,
    parse: verbatim,
  },
}

/** Connects to PostgreSQL, also through a pooler that shares connections between transactions. */
export async function openPostgres(target: ServerTarget): Promise<Connection> {
  const { host, port, user, password, database, tls, applicationName, options } = target
  const sql = postgres({
    host,
    port,
    ...(user === undefined ? {} : { user }),
    ...(password === undefined ? {} : { password }),
    database,
    ssl: tlsOptions(tls, host),
    // A pooler may run each statement on another connection, where none is prepared.
    prepare: false,
    fetch_types: false,
    max: 1,
    connect_timeout: 15,
    connection: { application_name: applicationName, ...(options === undefined ? {} : { options }) },
    types: textTypes,
    onnotice: () => {},
  })
  const queryOf =
    (on: { unsafe: typeof sql.unsafe }): Query =>
    (text, parameters = []) =>
      on.unsafe(numbered(text), parameters as string[], { prepare: false })
  const connection: Connection = {
    query: queryOf(sql),
    transaction: (work) => sql.begin((on) => work(queryOf(on))) as Promise<never>,
    async describe() {
      const [row] = await connection.query(
        `select current_setting('server_version') as version, current_schema() as schema`,
      )
      return {
        database: `PostgreSQL ${String(row!.version)}`,
        schema: String(row!.schema),
        tls: tls.mode,
      }
    },
    close: () => sql.end({ timeout: 5 }),
  }
  await connection.query('select 1')
  return connection
}

function numbered(text: string): string {
  let count = 0
  return text.replaceAll('?', () => `$${++count}`)
}

/** Returns the driver's options, with libpq's meaning of the modes. */
function tlsOptions({ mode, ca, cert, key }: Tls, host: string): boolean | 'prefer' | 'require' | object {
  if (mode === 'disable') return false
  const files = {
    ...(cert === null ? {} : { cert: readFileSync(cert) }),
    ...(key === null ? {} : { key: readFileSync(key) }),
    ...(ca === null ? {} : { ca: readFileSync(ca) }),
  }
  if (mode === 'prefer') return 'prefer'
  if (mode === 'require') return { ...files, rejectUnauthorized: false }
  return {
    ...files,
    rejectUnauthorized: true,
    // Given an IP address, Node would compare the certificate with `localhost`.
    checkServerIdentity: (_name: string, certificate: PeerCertificate) =>
      mode === 'verify-ca' ? undefined : checkServerIdentity(host, certificate),
  }
}

const types: Dialect['types'] = {
  int64: 'bigint',
  text: 'text',
  word: 'text',
  double: 'double precision',
  money: 'numeric',
  flag: 'boolean',
  time: 'timestamptz',
  counter: 'integer',
  json: 'json',
}

export const postgresDialect: Dialect = {
  quote: '"',
  types,
  tableOptions: '',
  forUpdate: ' for update',
  now: 'extract(epoch from clock_timestamp())::bigint',
  hasTransactionalDdl: true,
  columnsOfTable:
    'select column_name as name from information_schema.columns where table_schema = current_schema() and table_name = ?',
  // One parameter: thousands would cost more than the rows.
  rows: (columns, rows) => ({
    text: `select ${columns.map(({ name, kind }) => (kind === 'json' ? `${name}::json` : name)).join()} from json_to_recordset(?::json) as row (${columns.map(({ name, kind }) => `${name} ${kind === 'json' ? 'text' : types[kind]}`).join()})`,
    parameters: [
      JSON.stringify(
        rows.map((cells) => Object.fromEntries(columns.map(({ name }, index) => [name, cells[index]]))),
      ),
    ],
  }),
  upsert: (key, columns) =>
    `on conflict (${key}) do update set ${columns.map((name) => `${name} = excluded.${name}`).join()}`,
  // Whatever the time zone and date style of the session.
  select: (name, kind) =>
    kind === 'time'
      ? `to_char(${name} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as ${name}`
      : name,
  encode: (_kind, cell) => cell,
  decode(kind, value): Cell {
    if (value === null) return null
    return kind === 'flag' ? String(value === 't' || value === 'true') : String(value)
  },
}
