import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '#db/client.ts'
import { freePort } from '#db/free-port.ts'
import { type TestPooler, startPooler } from '#db/test-pooler.ts'
import { actorOfPage } from '#server/access/actor.ts'
import { api, streams } from '#server/api.ts'
import { waitForDatabase } from '#server/runtime/wait-for-database.ts'
import { utc } from '#server/values/zone.ts'
import { type LocalSystem, openLocalSystem } from './local-system.ts'
import { type Receiver, acceptedSequences, outOfOrder, startReceiver } from './receiver.ts'
import { ask } from './rest/client.ts'
import { bringIn, newDeals } from './rest/deals.ts'
import { type TestPartner } from './system.ts'

// The product behind a connection pooler in transaction mode: code must not use session state, or must have
// its own connection.

const sessions = 3

/** Returns the procedures for an admin of the partner. */
async function callersOf({ services }: LocalSystem, partner: TestPartner) {
  const session = {
    hash: '',
    user: { id: 1, email: 'a@b.example', name: 'Ana', role: 'admin' as const, partnerId: partner.id },
    partner: null,
    expiresAt: new Date(),
    visitIsNews: false,
    zone: utc,
  }
  const context = { services, actor: await actorOfPage(services, session, null), ifNoneMatch: () => false }
  return { caller: api.createCaller(context), streaming: streams.createCaller(context) }
}

const sequences = (count: number) => Array.from({ length: count }, (_, at) => at + 1)

/** Tests the product behind the connection pooler that `start` starts. */
function works(start: (databaseUrl: string) => Promise<string>): void {
  let system: LocalSystem
  let receiver: Receiver
  beforeAll(async () => {
    system = await openLocalSystem({ pooled: start, worker: true })
    receiver = await startReceiver()
  })
  afterAll(async () => {
    await receiver.close()
    await system.close()
  })

  test('handles concurrent requests, an import, searches, an export, deliveries and jobs', async () => {
    const partner = await system.makePartner({ deals: newDeals(60) })
    const webhook = await ask(system, 'POST /api/webhook', {
      token: partner.token,
      json: { createURL: receiver.url, updateURL: receiver.url },
    })
    expect(webhook.status).toBe(200)
    const pages = await Promise.all(
      Array.from({ length: 60 }, (_, at) =>
        ask(system, `GET /api/deals?page=${(at % 6) + 1}&size=10`, { token: partner.token }),
      ),
    )
    expect(new Set(pages.map(({ status }) => status))).toEqual(new Set([200]))
    const deals = newDeals(1200)
    const lines = [...deals, deals[0]!].map(({ id }) => `{"id":${id},"dealname":"Pooled ${id}"}`).join('\n')
    const imported = await system.operator(['import', '-', '--partner', partner.slug], lines)
    expect(imported).toMatchObject({ code: 0, stdout: expect.stringContaining('1200') })
    await bringIn(system, partner, [{ id: deals[1]!.id, stage: 'Permit' }])
    const { caller, streaming } = await callersOf(system, partner)
    const found = await Promise.all(
      Array.from({ length: 12 }, (_, at) =>
        caller.deals.find({
          filter: { search: `Pooled ${deals[at]!.id}` },
          sort: { field: 'dealname', direction: 'asc' },
          fields: ['dealname'],
        }),
      ),
    )
    expect(found.map((page) => page.value().deals.length)).toEqual(Array(12).fill(1))
    let exported = 0
    await (
      await streaming.deals.export({
        filter: { search: 'Pooled' },
        sort: { field: 'dealname', direction: 'asc' },
      })
    )(async (some) => void (exported += some.length))
    expect(exported).toBe(1200)
    await expect.poll(() => receiver.ids.size).toBe(1201)
    expect(acceptedSequences(receiver).length).toBeGreaterThanOrEqual(1201)
    expect(new Set(acceptedSequences(receiver))).toEqual(new Set(sequences(1261).slice(60)))
    expect(outOfOrder(receiver)).toEqual([])
    const jobs = () => system.services.db.$client`select state from pgboss.job where name = 'update-statuses'`
    await expect.poll(jobs).toEqual([{ state: 'completed' }])
  })

  test('sets session timeouts as defaults of the database role', async () => {
    const { $client: direct } = openDatabase(system.services.config.databaseDirectUrl!, 1)
    const rows = await direct`
      select setconfig as set from pg_db_role_setting join pg_database database on database.oid = setdatabase
      where datname = current_database() and setrole = current_user::regrole`
    await direct.end()
    expect(rows).toEqual([{ set: ['statement_timeout=10000', 'idle_in_transaction_session_timeout=60000'] }])
  })
}

describe('works with a pooler that assigns another session to each transaction', () => {
  let pooler: TestPooler
  afterAll(() => pooler.close())

  works(async (databaseUrl) => {
    pooler = await startPooler(databaseUrl, sessions)
    return pooler.url
  })

  test("leaves no state in the pooler's sessions", () => {
    expect(pooler.leftBehind).toEqual([])
    for (const served of pooler.served()) expect(served).toBeGreaterThan(20)
  })

  test("requires the database's own URL as well", async () => {
    const messages: string[] = []
    const config = { databaseUrl: pooler.url, databaseDirectUrl: pooler.url, databaseWaitS: 30 }
    await expect(waitForDatabase(config, (message) => messages.push(message))).rejects.toThrow(
      'cannot be used: it is a pooler; set DATABASE_DIRECT_URL to the database itself.',
    )
    expect(messages).toEqual([])
  })
})

const pgbouncer = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer'].find(
  (path) => spawnSync(path, ['--version']).status === 0,
)
// PgBouncer refuses to run as root.
const nobody = process.getuid?.() === 0 ? 65_534 : undefined

describe.skipIf(pgbouncer === undefined)('PgBouncer, if installed, supports', () => {
  let directory: string
  let child: ChildProcess
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'partner-deals-pgbouncer-'))
  })
  afterAll(async () => {
    if (child.kill('SIGKILL')) await once(child, 'close')
    await rm(directory, { recursive: true })
  })

  works(async (databaseUrl) => {
    const { hostname, port, username, password, pathname } = new URL(databaseUrl)
    const own = await freePort()
    const database = pathname.slice(1)
    const path = join(directory, 'pgbouncer.ini')
    await writeFile(
      path,
      `[databases]
${database} = host=${hostname} port=${port} user=${username} password=${decodeURIComponent(password)}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${own}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${sessions}
log_connections = 0
log_disconnections = 0
`,
    )
    await chmod(directory, 0o755)
    if (nobody !== undefined) await chown(path, nobody, nobody)
    child = spawn(pgbouncer!, ['-q', path], {
      stdio: 'ignore',
      ...(nobody === undefined ? {} : { uid: nobody, gid: nobody }),
    })
    for (let isUp = false; !isUp; await sleep(20))
      isUp = await new Promise((resolve) => {
        const socket = connect(own, '127.0.0.1', () => resolve(true)).once('error', () => resolve(false))
        socket.once('connect', () => socket.destroy())
      })
    return Object.assign(new URL(databaseUrl), { port: String(own) }).href
  })
})
