import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import postgres from 'postgres'
import { freePort } from '#db/free-port.ts'
import { hashToken } from '#server/tokens/token.ts'
import { type Column, createKeys, createTables, dealColumns, personColumns } from './peer-tables.ts'
import { scriptText, startLine, stop, waitUntil } from './process.ts'

/** The peer, running. */
export interface Peer {
  url: string
  stop(): Promise<void>
}

/** Starts the peer on its own database in our PostgreSQL, with the deals of an NDJSON file and one token. */
export async function startPeer(
  stack: AsyncDisposableStack,
  ourDatabaseUrl: string,
  file: string,
  token: string,
): Promise<Peer> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  // Our own command, so that both have the same Node flags.
  const started = startLine(
    stack,
    scriptText('start').replace('server/main.ts', 'e2e/bench/fastify-peer.ts'),
    [],
    {
      PORT: String(port),
      DATABASE_URL: await makeDatabase(ourDatabaseUrl, file, token),
      RATE_LIMIT_PER_MINUTE: '1000000000',
    },
    ['ignore', 'ignore', 'pipe'],
  )
  await waitUntil(started, 'The peer', async () => (await fetch(`${url}/healthz`)).ok)
  return { url, stop: () => stop(started) }
}

async function makeDatabase(ourDatabaseUrl: string, file: string, token: string): Promise<string> {
  const url = new URL(ourDatabaseUrl)
  url.pathname = '/fastify_peer'
  await withDatabase(ourDatabaseUrl, (sql) => sql`create database fastify_peer`)
  await withDatabase(url.href, async (sql) => {
    await sql.unsafe(createTables)
    await sql`insert into tokens (id, hash, partner_id) values (1, ${hashToken(token)}, ${partnerId})`
    const persons = await copyDeals(sql, file)
    await copyRows(
      sql,
      'persons',
      personColumns.map(({ name }) => name),
      persons.values(),
    )
    await sql.unsafe(createKeys)
  })
  await settle(url.href)
  return url.href
}

/** Makes a database do its background work now instead of during the measurement. */
export async function settle(url: string): Promise<void> {
  await withDatabase(url, async (sql) => {
    await sql`vacuum analyze`
    await sql`checkpoint`
  })
}

/** Runs work on its own connection. */
export async function withDatabase<T>(url: string, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  try {
    return await work(sql)
  } finally {
    await sql.end({ timeout: 5 })
  }
}

const partnerId = 1

type Values = Record<string, unknown>

/** Copies the deals. Returns the people in them, one row each. */
async function copyDeals(sql: postgres.Sql, file: string): Promise<Map<unknown, string>> {
  const persons = new Map<unknown, string>()
  async function* rows(): AsyncGenerator<string> {
    for await (const line of createInterface(createReadStream(file, { highWaterMark: 256 * 1024 }))) {
      const deal = JSON.parse(line) as Values
      for (const { name, kind } of dealColumns) {
        const person = deal[name] as Values | null
        if (kind !== 'person' || person === null) continue
        if (!persons.has(person.id)) persons.set(person.id, toRow(personColumns, person))
        deal[name] = person.id
      }
      yield `${partnerId}\t${toRow(dealColumns, deal)}`
    }
  }
  await copyRows(sql, 'deals', ['partner_id', ...dealColumns.map(({ name }) => name)], rows())
  return persons
}

async function copyRows(
  sql: postgres.Sql,
  table: string,
  columns: string[],
  rows: Iterable<string> | AsyncIterable<string>,
): Promise<void> {
  await pipeline(Readable.from(rows), await sql`copy ${sql(table)} (${sql(columns)}) from stdin`.writable())
}

/** Returns a line in the text format of PostgreSQL's COPY. */
function toRow(columns: Column[], values: Values): string {
  return `${columns.map(({ name }) => toCell(values[name])).join('\t')}\n`
}

const escapes: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }

function toCell(value: unknown): string {
  return value === null ? '\\N' : String(value).replaceAll(/[\\\t\n\r]/g, (character) => escapes[character]!)
}
