import { mkdir, readdir, readlink, writeFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { expect, test } from './fixtures.ts'
import { signedInUser } from './portal-user.ts'
import { ask } from './rest/client.ts'
import { addFile, newDeals } from './rest/deals.ts'
import { dial, parseAnswer } from './rest/raw-http.ts'
import type { RunningSystem } from './system.ts'

// Resources of a download or upload (a database connection, a file handle) must be released however the
// transfer ends. For limits of concurrent exports, see server/search/router.test.ts.

/** Larger than all buffers between a server and a client that does not read. */
const large = 'x'.repeat(30 * 1024 * 1024)

/** Sends the head of a request over its own connection, without reading the response yet. */
function begin(
  system: RunningSystem,
  what: string,
  cookie: string,
  body: { length: number; part: string } | null = null,
): Socket {
  const socket = dial(system).pause()
  socket.on('error', () => {})
  const content =
    body === null
      ? ''
      : `Origin: ${system.url}\r\nContent-Type: application/octet-stream\r\nContent-Length: ${body.length}\r\n`
  socket.write(
    `${what} HTTP/1.1\r\nHost: ${new URL(system.url).host}\r\nConnection: close\r\nCookie: ${cookie}\r\n${content}\r\n${body?.part ?? ''}`,
  )
  return socket
}

/** Reads until this many bytes have arrived or the connection has ended. */
async function read(socket: Socket, atLeast: number): Promise<string> {
  let received = ''
  for await (const chunk of socket.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    received += chunk.toString('latin1')
    if (received.length >= atLeast) break
  }
  return received
}

/** Returns the files in the data directory that the process has open. */
async function openFiles(system: RunningSystem): Promise<string[]> {
  const directory = `/proc/${system.process.pid}/fd`
  const targets = await Promise.all(
    (await readdir(directory)).map((fd) => readlink(join(directory, fd)).catch(() => '')),
  )
  return targets.filter((target) =>
    ['files', 'imports'].some((name) => target.startsWith(join(system.dataDir, name))),
  )
}

/** Returns the number of database connections that are in a transaction or running a statement. */
const busyConnections = (system: RunningSystem) => system.db.$client<{ state: string; query: string }[]>`
  select state, query from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`

test('aborted downloads and uploads release their connections and file handles', async ({ system }) => {
  test.setTimeout(240_000)
  const deals = newDeals(1500).map((deal) => ({ ...deal, notes: 'x'.repeat(10_000) }))
  const partner = await system.makePartner({ deals })
  const admin = await signedInUser(system, 'admin', partner.id)
  const operator = await signedInUser(system, 'operator', null)
  const [{ importId }] = await system.db.$client<[{ importId: number }]>`
    insert into imports (file_name, size_bytes, received_bytes, events, state, rejected, finished_at) values ('a.csv', 1, 1, true, 'done', 1, now()) returning id as "importId"`
  const [{ uploadId }] = await system.db.$client<[{ uploadId: number }]>`
    insert into imports (file_name, size_bytes, received_bytes, events, state) values ('b.csv', 1000000, 0, true, 'uploading') returning id as "uploadId"`
  await mkdir(join(system.dataDir, 'imports'), { recursive: true })
  await writeFile(join(system.dataDir, 'imports', `${importId}.rejected.csv`), large)
  const fileId = await addFile(system, deals[0]!.id, { name: 'large.bin', content: large })
  const file = new URL((await ask(system, `GET /api/files/${fileId}`, { token: partner.token })).json.url)
  const all = 'GET /deals/export?all=1'
  const downloads: [what: string, cookie: string][] = [
    [all, admin],
    ['GET /audit/export', admin],
    [`GET /imports/${importId}/rejected`, operator],
    [`GET ${file.pathname}${file.search}`, ''],
  ]

  // Readers that stop after the first bytes. The checks look at the process from outside, which also reveals
  // leaks.
  const stalled = downloads.slice(2).map(([what, cookie]) => begin(system, what, cookie))
  for (const socket of stalled) expect(parseAnswer(await read(socket, 1)).status).toBe(200)
  expect(await openFiles(system)).toHaveLength(2)
  await expect.poll(() => busyConnections(system)).toEqual([])
  for (const [what, cookie] of downloads) {
    const head = await read(begin(system, what.replace('GET', 'HEAD'), cookie), 1)
    expect(parseAnswer(head)).toMatchObject({ status: 200, body: '' })
    for (let turn = 0; turn < 12; turn++) {
      const socket = begin(system, what, cookie)
      // Disconnect immediately, after some milliseconds, or in the middle of the response; sometimes
      // abruptly.
      if (turn % 3 === 1) await new Promise((resolve) => void setTimeout(resolve, Math.random() * 30))
      if (turn % 3 === 2) await read(socket, 1 + Math.random() * 2_000_000)
      if (turn % 2 === 0) socket.resetAndDestroy()
      else socket.destroy()
    }
  }
  for (let turn = 0; turn < 5; turn++) {
    const upload = begin(system, `POST /imports/${uploadId}/content?offset=0`, operator, {
      length: 900_000,
      part: 'x'.repeat(400_000),
    })
    await new Promise((resolve) => void upload.once('connect', resolve))
    upload.destroy()
  }
  for (const socket of stalled) socket.destroy()
  await expect.poll(() => openFiles(system), { timeout: 90_000 }).toEqual([])
  await expect.poll(() => busyConnections(system), { timeout: 90_000 }).toEqual([])
  const { status, text } = await ask(system, all, { headers: { cookie: admin } })
  expect([status, text.match(/\r\n/g)?.length]).toEqual([200, 1501])
  expect(system.output()).not.toMatch(/MaxListeners|unhandled|failed to pipe/i)
})
