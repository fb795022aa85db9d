import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import mysql from 'mysql2/promise'
import { Failure } from './failures.ts'
import { type Connection, type Dialect, type Query, valuesOf } from './sql-target.ts'
import type { Cell } from './tables.ts'
import type { ServerTarget, Tls } from './target-url.ts'

// Whatever the server's mode, no value is cut or replaced without an error, and quotes are escaped as the
// driver escapes them.
const session = `set session sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE,ERROR_FOR_DIVISION_BY_ZERO', time_zone = '+00:00', character_set_results = 'utf8mb4'`

/** Connects to MariaDB or MySQL. */
export async function openMysql(target: ServerTarget): Promise<Connection> {
  const { on, tls } = await connect(target)
  await on.query(session)
  const query: Query = async (text, parameters = []) => {
    const [rows] = await on.query(text, parameters)
    return Array.isArray(rows) ? (rows as Record<string, unknown>[]) : []
  }
  return {
    query,
    async transaction(work) {
      await on.beginTransaction()
      try {
        const result = await work(query)
        await on.commit()
        return result
      } catch (error) {
        await on.rollback().catch(() => {})
        throw error
      }
    },
    async describe() {
      const [row] = await query('select version() as version, database() as name')
      const version = String(row!.version)
      return {
        database: version.includes('MariaDB') ? `MariaDB ${version}` : `MySQL ${version}`,
        schema: String(row!.name),
        tls,
      }
    },
    close: async () => on.destroy(),
  }
}

async function connect(target: ServerTarget): Promise<{ on: mysql.Connection; tls: string }> {
  const { host, port, user, password, database, tls } = target
  const open = (ssl: mysql.SslOptions | undefined) =>
    mysql.createConnection({
      ...(host.startsWith('/') ? { socketPath: host } : { host, port }),
      ...(user === undefined ? {} : { user }),
      ...(password === undefined ? {} : { password }),
      database,
      ...(ssl === undefined ? {} : { ssl }),
      charset: 'utf8mb4_unicode_ci',
      timezone: 'Z',
      dateStrings: true,
      supportBigNumbers: true,
      bigNumberStrings: true,
      connectTimeout: 15_000,
    })
  const isLocal = host.startsWith('/')
  // The driver would compare the certificate with `localhost`.
  if (tls.mode === 'verify-full' && isIP(host) !== 0)
    throw new Failure('sslmode=verify-full needs the name of the database server, not its IP address', 2)
  if (tls.mode === 'disable' || isLocal) return { on: await open(undefined), tls: 'disable' }
  try {
    return { on: await open(tlsOptions(tls)), tls: tls.mode }
  } catch (error) {
    const isUnsupported = (error as { code?: string }).code === 'HANDSHAKE_NO_SSL_SUPPORT'
    if (!isUnsupported) throw error
    if (tls.mode !== 'prefer')
      throw new Failure(`the database has no TLS, and sslmode=${tls.mode} demands it`)
    return { on: await open(undefined), tls: 'none: the server has no TLS' }
  }
}

function tlsOptions({ mode, ca, cert, key }: Tls): mysql.SslOptions {
  return {
    rejectUnauthorized: mode === 'verify-ca' || mode === 'verify-full',
    verifyIdentity: mode === 'verify-full',
    ...(ca === null ? {} : { ca: readFileSync(ca) }),
    ...(cert === null ? {} : { cert: readFileSync(cert) }),
    ...(key === null ? {} : { key: readFileSync(key) }),
  }
}

const encode: Dialect['encode'] = (kind, cell) => {
  if (cell === null) return null
  if (kind === 'int64') return BigInt(cell)
  if (kind === 'flag') return cell === 'true' ? 1 : 0
  return kind === 'time' ? cell.slice(0, -1).replace('T', ' ') : cell
}

export const mysqlDialect: Dialect = {
  quote: '`',
  types: {
    int64: 'bigint',
    // A row of VARCHARs would be longer than MySQL allows.
    text: 'mediumtext',
    word: 'varchar(191)',
    double: 'double',
    money: 'decimal(65,2)',
    flag: 'boolean',
    time: 'datetime(3)',
    counter: 'integer',
    json: 'longtext',
  },
  tableOptions: ' engine=InnoDB row_format=dynamic default charset=utf8mb4 collate=utf8mb4_unicode_ci',
  forUpdate: ' for update',
  now: 'unix_timestamp()',
  hasTransactionalDdl: false,
  columnsOfTable:
    'select column_name as name from information_schema.columns where table_schema = database() and table_name = ?',
  rows: valuesOf(encode),
  upsert: (_key, columns) =>
    `on duplicate key update ${columns.map((name) => `${name} = values(${name})`).join()}`,
  select: (name) => name,
  encode,
  decode(kind, value): Cell {
    if (value === null) return null
    if (kind === 'flag') return String(Number(value) === 1)
    return kind === 'time' ? `${String(value).replace(' ', 'T')}Z` : String(value)
  },
}
