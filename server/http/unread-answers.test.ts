import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { listenLocally } from '#e2e/loopback.ts'
import type { Caller } from '../admission/admission.ts'
import { UnreadAnswers } from './unread-answers.ts'

const mb = 1024 * 1024
const limits = { inAll: 60 * mb, perGroup: 40 * mb, perMember: 20 * mb }

let answers: UnreadAnswers
let port: number
let close: () => Promise<void>
beforeEach(async () => {
  answers = new UnreadAnswers(limits)
  const server = createServer((request, response) => {
    const [, group = '', member = '', size = ''] = request.url!.split('/')
    const caller: Caller = { kind: 'partner', group, member }
    answers.watch(response, false, () => caller)
    response.end(Buffer.alloc(Number(size) * mb))
  })
  ;({ port, close } = await listenLocally(server))
})
afterEach(() => close())

/** Sends requests on a new connection. Reads no responses until `read` is called. */
async function ask(group: string, member: string, sizes: number[]) {
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  let received = 0
  let isClosed = false
  socket.once('close', () => (isClosed = true))
  await once(socket, 'connect')
  for (const size of sizes) socket.write(`GET /${group}/${member}/${size} HTTP/1.1\r\nHost: x\r\n\r\n`)
  // Waits until the server has handled the requests.
  await new Promise((resolve) => setTimeout(resolve, 30))
  return {
    read: () => socket.on('data', (chunk) => (received += chunk.length)),
    received: () => received,
    isClosed: () => isClosed,
  }
}

test("beyond a member's share of unread bytes, closes the connections that have waited longest", async () => {
  const all: Awaited<ReturnType<typeof ask>>[] = []
  for (let at = 0; at < 10; at++) all.push(await ask('sunwise', 'ana', [8]))
  expect(answers.bytes).toBeLessThanOrEqual(limits.perMember)
  for (const connection of all) connection.read()
  await expect.poll(() => all.slice(0, 8).every(({ isClosed }) => isClosed())).toBe(true)
  await expect.poll(() => all.slice(8).every(({ received }) => received() > 8 * mb)).toBe(true)
  expect(answers.bytes).toBe(0)
})

test('counts responses queued behind others on one connection', async () => {
  const pipelined = await ask('sunwise', 'ana', [8, 8, 8, 8, 8])
  expect(answers.bytes).toBeLessThanOrEqual(limits.perMember)
  pipelined.read()
  await expect.poll(pipelined.isClosed).toBe(true)
})

test('limits a whole group without affecting other groups', async () => {
  const other = await ask('other', 'ben', [8])
  for (const member of ['ana', 'bob', 'cleo', 'dan'])
    for (let at = 0; at < 3; at++) await ask('sunwise', member, [8])
  expect(answers.bytes).toBeLessThanOrEqual(limits.perGroup + 8 * mb)
  other.read()
  await expect.poll(other.received).toBeGreaterThan(8 * mb)
})

test('does not close a connection that is being read', async () => {
  const reading = await ask('sunwise', 'ana', [16])
  reading.read()
  await expect.poll(reading.received).toBeGreaterThan(0)
  for (let at = 0; at < 6; at++) {
    const next = Math.min(reading.received() + 2.5 * mb, 16 * mb)
    await ask('sunwise', 'ana', [8])
    // On a slow machine, the client might read too little in between; the operating system's buffers hide
    // that from the server.
    await expect.poll(reading.received).toBeGreaterThan(next)
  }
  await expect.poll(reading.received).toBeGreaterThan(16 * mb)
  expect(reading.isClosed()).toBe(false)
})

test('does not count small responses', async () => {
  await ask('sunwise', 'ana', [0, 0, 0])
  expect(answers.bytes).toBe(0)
})
