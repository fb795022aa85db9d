import { isIPv6 } from 'node:net'
import postgres from 'postgres'
import type { Connection, Query } from './sql-target.ts'
import { type Server, tlsOptions } from './target-url.ts'

/** Connects to PostgreSQL, directly or through a pooler in transaction mode. */
export async function openPostgres(server: Server): Promise<Connection> {
  const { host, port, user, password, database, sslmode, options } = server
  const ssl = { disable: false, prefer: 'prefer' as const }[sslmode as string] ?? tlsOptions(server)
  const sql = postgres({
    // In a string, the driver would take the part after a colon for the port. The driver's types do not
    // include arrays.
    ...(isIPv6(host) ? ({ host: [host], port: [port] } as object) : { host, port }),
    database,
    user,
    password,
    ssl,
    // A pooler may run each statement on a different connection, where a prepared statement does not exist.
    prepare: false,
    fetch_types: false,
    max: 1,
    connect_timeout: 15,
    connection: {
      application_name: 'partner-deals-copy',
      ...(options === undefined ? {} : { options }),
    },
    onnotice: () => {},
  })
  const queryOn =
    (on: { unsafe: typeof sql.unsafe }): Query =>
    (text, parameters = []) => {
      let count = 0
      const numbered = text.replaceAll('?', () => `$${++count}`)
      return on.unsafe(numbered, parameters as string[], { prepare: false })
    }
  const query = queryOn(sql)
  await query('select 1')
  return {
    query,
    transaction: (work) =>
      sql.begin(async (on) => {
        // Otherwise a run that is suspended here would keep the copy locked.
        await on.unsafe(`set local idle_in_transaction_session_timeout = '60s'`)
        await work(queryOn(on))
      }),
    close: () => sql.end({ timeout: 5 }),
  }
}
