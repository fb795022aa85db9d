import { type Socket, connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, test, vi } from 'vitest'
import { listenLocally } from '#e2e/loopback.ts'
import { openTestDatabase } from '#e2e/open-database.ts'
import { openDatabase, openWorkerDatabase, withOwnConnection } from './client.ts'
import { freePort } from './free-port.ts'

// Tests URLs with several hosts: the primary is found among the hosts, and connecting fails in time if all
// hosts are down.

const database = await openTestDatabase()

const closing: (() => Promise<void>)[] = []
const sockets = new Set<Socket>()
afterAll(async () => {
  for (const socket of sockets) socket.destroy()
  await Promise.all(closing.map((close) => close()))
})

/** Starts a server that handles each connection with `serve`. Returns its host. */
async function startServer(serve: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => serve(socket.on('error', () => {})))
  const { port, close } = await listenLocally(server)
  closing.push(close)
  return `127.0.0.1:${port}`
}

const message = (type: string, ...parts: (string | number[])[]) => {
  const body = Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(`${part}\0`) : Buffer.from(part))),
  )
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

const silent = () => startServer(() => {})
const hangingUp = () => startServer((socket) => void socket.on('data', () => socket.end()))
const ready = message('Z', [73])
const loggedIn = Buffer.concat([message('R', [0, 0, 0, 0]), message('K', [0, 0, 0, 1, 0, 0, 0, 1]), ready])
const readOnly = Buffer.concat([
  message('T', [0, 1], 'is', [0, 0, 0, 0, 0, 0, 0, 0, 0, 25, 255, 255, 255, 255, 255, 255, 0, 0]),
  message('D', [0, 1, 0, 0, 0, 4], [...Buffer.from('true')]),
  message('C', 'SELECT 1'),
  ready,
])
/** Responds as a standby would. */
const standby = () =>
  startServer((socket) => {
    socket.once('data', () => {
      socket.write(loggedIn)
      socket.on('data', () => socket.write(readOnly))
    })
  })
const refusing = (code: string) => (socket: Socket) =>
  void socket.once('data', () => socket.end(message('E', 'SFATAL', `C${code}`, 'Mno', [0])))
const failing = (code: string) => startServer(refusing(code))

/** Returns a host on which no server listens. */
const dead = async () => `127.0.0.1:${await freePort()}`

const live = () => new URL(database.url).host
const urlOf = (...hosts: string[]) => database.url.replace(live(), hosts.join(','))

async function ask(url: string, connections = 2): Promise<unknown> {
  const db = openDatabase(url, connections)
  try {
    return (await db.$client`select 1 as one`)[0]
  } finally {
    await db.$client.end({ timeout: 1 })
  }
}

// These tests mostly wait, so they run concurrently.
test.concurrent.each([
  ['nothing listens on', dead],
  ['hangs up', hangingUp],
  ['is silent', silent],
  ['is a standby', standby],
  ['is starting', () => failing('57P03')],
] as const)('skips a host that %s', async (_what, other) => {
  expect(await ask(urlOf(await other(), live()))).toEqual({ one: 1 })
  expect(await ask(urlOf(live(), await other()))).toEqual({ one: 1 })
  expect(await ask(urlOf(await other(), await other(), live()))).toEqual({ one: 1 })
})

test.concurrent.each([
  ['no host listens', dead, 'ECONNREFUSED'],
  ['all hang up', hangingUp, 'CONNECTION_CLOSED'],
  ['all are silent', silent, 'CONNECT_TIMEOUT'],
  ['all are standbys', standby, 'CONNECTION_NO_PRIMARY'],
  ['all are starting', () => failing('57P03'), '57P03'],
] as const)('fails within 10 seconds where %s', async (_what, other, code) => {
  const began = performance.now()
  await expect(ask(urlOf(await other(), await other(), await other()))).rejects.toMatchObject({ code })
  expect(performance.now() - began).toBeLessThan(10_000)
})

/** Forwards to the database until told to fall silent, like a machine that lost power. */
async function passing(isOpen = true) {
  let isSilent = false
  let connections = 0
  let refusal: string | null = null
  const own = new Set<Socket>()
  const [host, port] = live().split(':')
  const address = await startServer((socket) => {
    connections++
    if (!isOpen) return void socket.destroy()
    if (refusal !== null) return refusing(refusal)(socket)
    own.add(socket)
    const upstream = connect(Number(port), host)
    sockets.add(upstream)
    upstream.on('error', () => {}).on('data', (data) => isSilent || socket.write(data))
    socket.on('data', (data) => isSilent || upstream.write(data))
  })
  return {
    address,
    count: () => connections,
    sockets: own,
    refuse: (code: string) => void (refusal = code),
    open: () => void (isOpen = true),
    fallSilent: () => void (isSilent = true),
    speak: () => void (isSilent = false),
  }
}

test.concurrent('switches from a silent primary once another host accepts writes', async ({ expect }) => {
  const [former, next] = [await passing(), await passing(false)]
  const db = openDatabase(urlOf(former.address, next.address), 3)
  const { $client: sql } = db
  try {
    await Promise.all([1, 2, 3].map(() => sql`select pg_sleep(0.1)`))
    former.fallSilent()
    const underway = [
      sql`select 1`,
      sql.begin((tx) => tx`select 1`),
      withOwnConnection(db, (own) => own`select 1`),
    ]
    const ends = Promise.allSettled(underway)
    await sleep(5000)
    next.open()
    expect((await ends).map(({ status }) => status)).toEqual(Array(3).fill('rejected'))
    // One more attempt may use a connection that is just being closed.
    const ask = () => Promise.all([1, 2, 3].map(() => sql`select 1 as one`)).catch(() => null)
    await expect.poll(ask).toEqual(Array(3).fill([{ one: 1 }]))
  } finally {
    await sql.end({ timeout: 1 })
  }
})

test.concurrent('a slow statement continues, and its host is rarely checked for being the primary', async () => {
  const [primary, other] = [await passing(), await standby()]
  const db = openDatabase(urlOf(primary.address, other), 1)
  try {
    expect(await db.$client`select 1 as one from pg_sleep(8)`).toEqual([{ one: 1 }])
    // One connection was for finding the primary, one for the statement, and one for the check during the
    // silence.
    expect(primary.count()).toBe(3)
  } finally {
    await db.$client.end({ timeout: 1 })
  }
})

test("a worker's statement fails on a silent connection, and the next statement gets another connection", async () => {
  vi.useFakeTimers({ toFake: ['setInterval'] })
  const host = await passing()
  const { $client: sql } = openWorkerDatabase(urlOf(host.address), 1)
  try {
    await sql`select 1`
    vi.advanceTimersByTime(15_000)
    await sql`select 1`
    host.fallSilent()
    const unanswered = sql`select 1`.catch((error: unknown) => error)
    vi.advanceTimersByTime(30_000)
    expect(await unanswered).toMatchObject({ code: 'CONNECTION_CLOSED' })
    host.speak()
    expect(await sql`select 1 as one`).toEqual([{ one: 1 }])
    expect(host.count()).toBe(2)
  } finally {
    vi.useRealTimers()
    await sql.end({ timeout: 1 })
  }
})

test('does not skip a host that rejects the password', async () => {
  await expect(ask(urlOf(await failing('28P01'), live()))).rejects.toMatchObject({ code: '28P01' })
})

test('fails if the only host closes the connection', async () => {
  await expect(ask(urlOf(await hangingUp()))).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' })
})

test('a host that closes the connection after login fails the statement, not the process', async () => {
  const leaving = await startServer((socket) => {
    socket.once('data', () => {
      socket.write(loggedIn)
      socket.once('data', () => socket.end())
    })
  })
  await expect(ask(urlOf(leaving))).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' })
})

test('reports the reason if a host rejects the login after a lost connection', async () => {
  const host = await passing()
  const { $client: sql } = openDatabase(urlOf(host.address), 1)
  const asleep = sql`select pg_sleep(60)`.catch((error: unknown) => error)
  await expect.poll(() => host.sockets.size).toBe(1)
  await sleep(200)
  host.refuse('53300')
  for (const socket of host.sockets) socket.destroy()
  expect(await asleep).toMatchObject({ code: 'CONNECTION_CLOSED' })
  await expect(sql`select 1`).rejects.toMatchObject({ code: '53300' })
  await sql.end({ timeout: 1 })
})

test('does not treat a database that is read-only by default as a primary', async () => {
  const name = new URL(database.url).pathname.slice(1)
  await database.db.$client.unsafe(`alter database ${name} set default_transaction_read_only = on`)
  try {
    await expect(ask(urlOf(live(), live()))).rejects.toMatchObject({ code: 'CONNECTION_NO_PRIMARY' })
  } finally {
    await database.db.$client.unsafe(`alter database ${name} reset default_transaction_read_only`)
  }
})

test('tries the last working host first', async () => {
  let connections = 0
  const other = await startServer((socket) => {
    connections++
    socket.destroy()
  })
  const db = openDatabase(urlOf(other, live()), 1)
  await db.$client`select 1`
  expect(connections).toBe(1)
  for (let round = 0; round < 3; round++) {
    await database.db.$client`
      select pg_terminate_backend(pid, 5000) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`
    await expect.poll(() => db.$client`select 1 as one`.catch(() => [])).toEqual([{ one: 1 }])
  }
  await withOwnConnection(db, (own) => own`select 1`)
  expect(connections).toBe(1)
  await db.$client.end({ timeout: 5 })
})
