import { once } from 'node:events'
import { type Server, type Socket, connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Database, openDatabase } from '#db/client.ts'
import { freePort } from '#db/free-port.ts'
import { type TestDatabase, createTestDatabase } from '#db/test-database.ts'
import { fileOf } from '#e2e/read-table.ts'
import { insertPartner } from '../accounts/store.ts'
import type { TextFile } from '../readers/decode.ts'
import { jsonSource } from '../readers/json-source.ts'
import { type ImportOptions, importDeals } from './import-deals.ts'
import { isRepeatable, throughFailover } from './through-failover.ts'

let database: TestDatabase
let line: Line
let db: Database
let partner: { id: number; slug: string }
let firstId = 0

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())
beforeEach(async () => {
  partner = (await insertPartner(database.db, `p${crypto.randomUUID()}`, 'A partner'))!
  line = await openLine(new URL(database.url))
  db = openDatabase(line.url, 2)
  firstId += 10_000
})
afterEach(async () => {
  await db.$client.end({ timeout: 5 })
  await line.close()
})

/** A connection to the database that the test can cut. */
interface Line {
  url: string
  /** Cuts all connections, and blocks new ones until `restore` is called. */
  cut(): void
  restore(): Promise<void>
  /** Drops the responses to the next commits, and cuts their connections. */
  swallowCommits(count: number): void
  swallowed(): number
  close(): Promise<void>
}

async function openLine(to: URL): Promise<Line> {
  const sockets = new Set<Socket>()
  let toSwallow = 0
  let swallowed = 0
  const server: Server = createServer((client) => {
    const upstream = connect(Number(to.port), to.hostname)
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
    client.on('data', (data) => upstream.write(data))
    upstream.on('data', (data) => {
      if (toSwallow === 0 || !data.includes('COMMIT')) return client.write(data)
      toSwallow--
      swallowed++
      client.destroy()
    })
  })
  const listen = async (port: number) => once(server.listen(port, '127.0.0.1'), 'listening')
  const port = await freePort()
  await listen(port)
  const url = new URL(to)
  url.port = String(port)
  url.hostname = '127.0.0.1'
  const cut = () => {
    server.close()
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: url.href,
    cut,
    restore: async () => void (await listen(port)),
    swallowCommits: (count) => void (toSwallow = count),
    swallowed: () => swallowed,
    close: async () => cut(),
  }
}

const deals = 1200

/** Returns a file with the deals. Each of the first ten deals is on two lines. */
function fileWith(stage: string): TextFile {
  const ids = Array.from({ length: deals }, (_, index) => firstId + index)
  const lines = [...ids.slice(0, 10), ...ids].map((id) => `{"id":${id},"stage":"${stage}"}\n`)
  return fileOf(lines.join(''), 64 * 1024)
}

async function importFile(file: TextFile, options: Partial<ImportOptions> = {}, progress = () => {}) {
  const superseded: number[] = []
  const counts = await importDeals(
    db,
    jsonSource(file),
    { partner, partners: [], dryRun: false, events: true, ...options },
    { rejected() {}, unknown() {}, superseded: (at) => superseded.push(at), progress },
  )
  return { ...counts, superseded: superseded.length }
}

const none = { created: 0, updated: 0, unchanged: 0, rejected: 0, unreadable: 0, superseded: 10 }

/** Expects every deal with this many events, no gap in the sequences, and no remaining data of the import. */
async function expectWhole(eventsOfEach: number): Promise<void> {
  const { $client: sql } = database.db
  const places = await sql<{ id: string; position: string }[]>`
    select deal_id as id, position from deal_places where list_id = ${partner.id} order by position`
  expect(places).toEqual(
    Array.from({ length: deals }, (_, index) => ({
      id: String(firstId + index),
      position: String(index + 1),
    })),
  )
  const [events] = await sql`
    select count(*)::integer as count, max(sequence)::integer as last, count(distinct (deal_id, type))::integer as of_each
    from events where partner_id = ${partner.id}`
  const count = deals * eventsOfEach
  expect(events).toEqual({ count, last: count, of_each: count })
  const [list] = await sql`
    select deal_count::integer as deals, last_sequence::integer as sequence from deal_lists where id = ${partner.id}`
  expect(list).toEqual({ deals, sequence: count })
  expect(await sql`select from import_batches`).toHaveLength(0)
}

describe('an import', () => {
  test('continues when its connections are terminated repeatedly', async () => {
    const terminate = () =>
      database.db.$client`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`.catch(
        () => {},
      )
    for (const [stage, outcome] of [
      ['a', 'created'],
      ['b', 'updated'],
      ['b', 'unchanged'],
    ] as const) {
      let isRunning = true
      const terminating = (async () => {
        for (let round = 0; isRunning && round < 30; round++) {
          await sleep(40 + 13 * (round % 7))
          await terminate()
        }
      })()
      const counts = await importFile(fileWith(stage))
      isRunning = false
      await terminating
      expect(counts).toEqual({ ...none, [outcome]: deals })
    }
    await expectWhole(2)
  }, 60_000)

  test('counts a commit once even if its response was lost', async () => {
    line.swallowCommits(2)
    expect(await importFile(fileWith('a'))).toEqual({ ...none, created: deals })
    expect(line.swallowed()).toBe(2)
    line.swallowCommits(3)
    expect(await importFile(fileWith('b'))).toEqual({ ...none, updated: deals })
    expect(line.swallowed()).toBe(5)
    await expectWhole(2)
  }, 30_000)

  test('resumes after the database was down', async () => {
    let batches = 0
    const importing = importFile(fileWith('a'), {}, () => {
      if (++batches !== 2) return
      line.cut()
      void sleep(700).then(() => line.restore())
    })
    expect(await importing).toEqual({ ...none, created: deals })
    await expectWhole(1)
  }, 30_000)

  test('resumes after reaching a standby', async () => {
    const { $client: sql } = database.db
    const name = sql.unsafe(new URL(database.url).pathname.slice(1))
    await sql`alter database ${name} set default_transaction_read_only = on`
    const importing = importFile(fileWith('a'))
    await sleep(600)
    await sql.begin('read write', (tx) => tx`alter database ${name} set default_transaction_read_only = off`)
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`
    expect(await importing).toEqual({ ...none, created: deals })
    await expectWhole(1)
  }, 30_000)

  test('does not wait for the database while it is being stopped', async () => {
    let isStopping = false
    const importing = importFile(fileWith('a'), { isStopping: () => isStopping }, () => {
      line.cut()
      isStopping = true
    })
    await expect(importing).rejects.toThrow()
  })
})

describe('failed work', () => {
  test.each(['57P01', '57P02', '57P03', '08006', '25006', '40001', '40P01', 'CONNECTION_CLOSED'])(
    'is repeated after %s',
    async (code) => {
      let attempts = 0
      const work = async () => {
        if (++attempts < 3) throw Object.assign(new Error('away'), { code })
        return attempts
      }
      expect(await throughFailover(work, () => false)).toBe(3)
    },
  )

  // The last code is from another server, such as a file store.
  test.each(['23505', '22P02', '42P01', 'CONNECTION_ENDED', undefined, 'ECONNREFUSED'])(
    'is not repeated after %s',
    (code) => {
      expect(isRepeatable(Object.assign(new Error('wrong'), { code }))).toBe(false)
    },
  )
})
