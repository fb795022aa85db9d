import { mkdir, readdir, readlink, writeFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { signedInUser } from './portal-user.ts'
import { ask } from './rest/client.ts'
import { addFile } from './rest/deals.ts'
import { dial, parseAnswer } from './rest/raw-http.ts'
import { type RunningSystem, startSystem } from './system.ts'

// Resources of a download or upload (a slot, a database connection, a file handle) are released however it
// ends.

test.setTimeout(240_000)

let system: RunningSystem
test.beforeAll(async () => {
  system = await startSystem({ env: { WORKER: 'off' } })
})
test.afterAll(() => system.dispose())

/** More than the buffers between a server and a client that does not read. */
const large = 'x'.repeat(30 * 1024 * 1024)

/** Sends a request's head over its own connection and does not read yet. */
function begin(what: string, cookie = '', body: { length: number; part: string } | null = null): Socket {
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

/** Reads until this many bytes have arrived, or the connection has ended. */
async function read(socket: Socket, atLeast: number): Promise<string> {
  let received = ''
  for await (const chunk of socket.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    received += chunk.toString('latin1')
    if (received.length >= atLeast) break
  }
  return received
}

/** Returns the process's open files in the data directory. */
async function openFiles(): Promise<string[]> {
  const directory = `/proc/${system.process.pid}/fd`
  const targets = await Promise.all(
    (await readdir(directory)).map((fd) => readlink(join(directory, fd)).catch(() => '')),
  )
  return targets.filter((target) =>
    ['files', 'imports'].some((name) => target.startsWith(join(system.dataDir, name))),
  )
}

/** Returns the database connections that are in a transaction or statement. */
const busyConnections = () => system.db.$client<{ state: string; query: string }[]>`
  select state, query from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`

test('slots, connections and file handles are released after HEADs, aborts, stalled readers and errors', async () => {
  const id = 1n
  const partner = await system.makePartner({
    deals: Array.from({ length: 3000 }, (_, index) => ({
      id: id + BigInt(index),
      dealname: `Deal ${index}`,
      notes: 'x'.repeat(10_000),
    })),
  })
  const broken = await system.makePartner({
    deals: Array.from({ length: 600 }, (_, index) => ({
      id: 10_000n + BigInt(index),
      dealname: `Deal ${index}`,
    })),
  })
  await system.db.$client`update deals set json = 'broken' where id = 10000`
  const [stalling, storming, other, unlucky, operator] = await Promise.all([
    signedInUser(system, 'member', partner.id),
    signedInUser(system, 'admin', partner.id),
    signedInUser(system, 'member', partner.id),
    signedInUser(system, 'member', broken.id),
    signedInUser(system, 'operator', null),
  ])
  const [{ importId }] = await system.db.$client<[{ importId: number }]>`
    insert into imports (file_name, size_bytes, received_bytes, events, state, rejected, finished_at) values ('a.csv', 1, 1, true, 'done', 1, now()) returning id as "importId"`
  const [{ uploadId }] = await system.db.$client<[{ uploadId: number }]>`
    insert into imports (file_name, size_bytes, received_bytes, events, state) values ('b.csv', 1000000, 0, true, 'uploading') returning id as "uploadId"`
  await mkdir(join(system.dataDir, 'imports'), { recursive: true })
  await writeFile(join(system.dataDir, 'imports', `${importId}.rejected.csv`), large)
  const fileId = await addFile(system, id, { name: 'large.bin', content: large })
  const file = new URL((await ask(system, `GET /api/files/${fileId}`, { token: partner.token })).json.url)

  const all = 'GET /deals/export?all=1'
  const downloads: [what: string, cookie: string][] = [
    [all, storming],
    ['GET /audit/export', storming],
    [`GET /imports/${importId}/rejected`, operator],
    [`GET ${file.pathname}${file.search}`, ''],
  ]

  // Readers that stop after the first bytes; the reader of an export holds its user's share for half a
  // minute.
  const stalled = [[all, stalling] as const, ...downloads.slice(2)].map(([what, cookie]) =>
    begin(what, cookie),
  )
  for (const socket of stalled) expect(parseAnswer(await read(socket, 1)).status).toBe(200)
  expect(parseAnswer(await read(begin(all, stalling), 1))).toMatchObject({
    status: 429,
    headers: { 'retry-after': '10', 'cache-control': 'no-store' },
  })
  // Checked from outside, which would also show a leak.
  expect(await openFiles()).toHaveLength(2)
  // The header may have arrived before the first rows; then nothing is held for a reader.
  await expect.poll(busyConnections).toEqual([])
  for (const cookie of [storming, other]) {
    const meanwhile = begin(all, cookie)
    expect(parseAnswer(await read(meanwhile, 1)).status).toBe(200)
    meanwhile.destroy()
  }

  for (const [what, cookie] of downloads) {
    for (let turn = 0; turn < 5; turn++) {
      const head = parseAnswer(await read(begin(what.replace('GET', 'HEAD'), cookie), 1))
      expect([what, head.status, head.headers['content-disposition']]).toEqual([
        what,
        200,
        expect.stringMatching(/^attachment; filename=/),
      ])
      expect(head.body).toBe('')
    }
    for (let turn = 0; turn < 25; turn++) {
      const socket = begin(what, cookie)
      // At once, after some milliseconds, or in the middle of the response; gracefully or not.
      if (turn % 3 === 1) await new Promise((resolve) => void setTimeout(resolve, Math.random() * 30))
      if (turn % 3 === 2) await read(socket, 1 + Math.random() * 2_000_000)
      if (turn % 2 === 0) socket.resetAndDestroy()
      else socket.destroy()
    }
  }
  for (let turn = 0; turn < 5; turn++) {
    let answer = ''
    await expect
      .poll(async () => {
        answer = await read(begin(all, unlucky), Infinity)
        return parseAnswer(answer).status
      })
      .toBe(200)
    // Truncated, because the last row is invalid.
    expect(answer).toContain('Deal 599')
    expect(answer).not.toMatch(/\r\n0\r\n\r\n$/)
    const upload = begin(`POST /imports/${uploadId}/content?offset=0`, operator, {
      length: 900_000,
      part: 'x'.repeat(400_000),
    })
    await new Promise((resolve) => void upload.once('connect', resolve))
    upload.destroy()
  }

  await expect.poll(openFiles, { timeout: 90_000 }).toEqual([])
  await expect.poll(busyConnections, { timeout: 90_000 }).toEqual([])
  for (const socket of stalled) expect((await read(socket, Infinity)).length).toBeLessThan(large.length)
  const [one, two] = await Promise.all(
    [storming, other].map((cookie) => ask(system, all, { headers: { cookie } })),
  )
  for (const { status, text } of [one!, two!])
    expect([status, text.match(/\r\n/g)?.length]).toEqual([200, 3001])
  expect((await ask(system, 'GET /audit/export', { headers: { cookie: storming } })).status).toBe(200)
  await expect.poll(busyConnections).toEqual([])
  expect(system.output()).not.toMatch(/MaxListeners|unhandled|failed to pipe/i)

  const last = begin(all, stalling)
  await read(last, 1)
  expect(await system.stop()).toBe(0)
})
