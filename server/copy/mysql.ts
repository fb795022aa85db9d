import mysql from 'mysql2/promise'
import { Failure } from './failures.ts'
import { type Connection, type Query, transactions } from './sql-target.ts'
import { type Server, tlsOptions } from './target-url.ts'

// Strict modes reject values that would be truncated. MariaDB can end idle transactions, so that a suspended
// run does not keep the copy locked; MySQL has no such setting.
const session = `set session sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE,ERROR_FOR_DIVISION_BY_ZERO', time_zone = '+00:00', character_set_results = 'utf8mb4' /*M!100300 , idle_transaction_timeout = 60 */`

/** Connects to MariaDB or MySQL. */
export async function openMysql(server: Server): Promise<Connection> {
  const on = await connect(server)
  await on.query(session)
  const query: Query = async (text, parameters = []) => {
    const [rows] = await on.query(text, parameters)
    return Array.isArray(rows) ? (rows as Record<string, unknown>[]) : []
  }
  return { query, transaction: transactions(query, 'begin'), close: async () => on.destroy() }
}

async function connect(server: Server): Promise<mysql.Connection> {
  const { host, port, user, password, database, sslmode } = server
  const open = (ssl?: mysql.SslOptions) =>
    mysql.createConnection({
      ...(host.startsWith('/') ? { socketPath: host } : { host, port }),
      database,
      user,
      password,
      ssl,
      charset: 'utf8mb4_unicode_ci',
      timezone: 'Z',
      dateStrings: true,
      supportBigNumbers: true,
      bigNumberStrings: true,
      connectTimeout: 15_000,
    })
  if (sslmode === 'disable' || host.startsWith('/')) return open()
  try {
    return await open(tlsOptions(server))
  } catch (error) {
    if ((error as { code?: string }).code !== 'HANDSHAKE_NO_SSL_SUPPORT') throw error
    if (sslmode === 'prefer') return open()
    throw new Failure(`the database does not support TLS, which sslmode=${sslmode} requires`)
  }
}
