import { once } from 'node:events'
import type { Server } from 'node:http'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { listenLocally } from '#e2e/loopback.ts'
import { isPublic } from '../access/client.ts'
import { ownCookies } from './pages.ts'
import { connectionsPerAddress } from './policy.ts'
import { makeServer } from './server.ts'
import { streamed } from './streamed.ts'

const patiently = { timeout: 20_000 }

/**
 * Returns a server whose responses never end, and a function that returns the number of running producers.
 */
async function serveEndless(stalledMs: number, idleMs: number) {
  let underway = 0
  const server = makeServer(
    (_request, response) => {
      const client = new AbortController()
      response.once('close', () => client.abort())
      void streamed(
        new Request('http://localhost/', { signal: client.signal }),
        async (write) => {
          underway++
          try {
            for (;;) {
              await write(Buffer.alloc(256 * 1024, 'x'))
              // Yields to socket events, as waiting for a database or a disk would.
              await setImmediate()
            }
          } finally {
            underway--
          }
        },
        { idleMs, totalMs: 60_000 },
      )
        .then((body) => pipeline(Readable.fromWeb(body as never), response))
        .catch(() => {})
    },
    { stalledMs },
  )
  const { port, close } = await listenLocally(server)
  const ask = () => {
    const socket = connect(port, '127.0.0.1').pause()
    socket.on('error', () => {})
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
    return socket
  }
  return { close, ask, underway: () => underway }
}

test.each([
  ['the socket', 300, 60_000],
  ['the response', 60_000, 300],
])(
  'disconnects a client that reads nothing, and ends its producer (by the time limit of %s)',
  async (_title, stalledMs, idleMs) => {
    const { close, ask, underway } = await serveEndless(stalledMs, idleMs)
    const sockets = Array.from({ length: 5 }, ask)
    await expect.poll(underway, patiently).toBe(5)
    await expect.poll(underway, patiently).toBe(0)
    await Promise.all(sockets.map((socket) => once(socket.resume(), 'close')))
    await close()
  },
)

test('ends all producers, whenever clients disconnect', async () => {
  const { close, ask, underway } = await serveEndless(60_000, 60_000)
  await Promise.all(
    Array.from({ length: 100 }, async (_, turn) => {
      const socket = ask()
      if (turn % 3 > 0) await once(socket, 'connect')
      if (turn % 3 === 2) await once(socket.resume(), 'data')
      if (turn % 2 === 0) socket.destroy()
      else socket.resetAndDestroy()
    }),
  )
  const last = ask()
  await once(last.resume(), 'data')
  last.destroy()
  await expect.poll(underway, patiently).toBe(0)
  await close()
})

test('closes a connection with more than sixteen concurrent requests', async () => {
  const waiting: (() => void)[] = []
  const server = makeServer((_request, response) => {
    waiting.push(() => response.end('x'))
  })
  let parsed = 0
  server.prependListener('request', () => parsed++)
  const { port, close } = await listenLocally(server)
  const ask = (count: number) => {
    let text = ''
    const socket = connect(port, '127.0.0.1').on('error', () => {})
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()))
    const closed = once(socket, 'close')
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(count))
    return { closed, answers: () => text.split('HTTP/1.1 200').length - 1, socket }
  }
  for (const count of [17, 1000]) {
    waiting.length = 0
    parsed = 0
    await ask(count).closed
    expect([waiting.length, parsed]).toEqual([16, 17])
  }
  waiting.length = 0
  const few = ask(16)
  await expect.poll(() => waiting.length, patiently).toBe(16)
  for (const answer of waiting) answer()
  await expect.poll(few.answers, patiently).toBe(16)
  // Requests that have received a response are no longer counted.
  waiting.length = 0
  few.socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(16))
  await expect.poll(() => waiting.length, patiently).toBe(16)
  await close()
})

test("passes only the portal's cookies to pages, and at most 50", () => {
  const own = '__Host-partner-deals.session=a; partner-deals.theme=dark'
  expect(ownCookies(`other=1; ${own};partner-deals=x`)).toBe(own)
  expect(ownCookies(undefined)).toBe('')
  const many = Array.from({ length: 1000 }, (_, at) => `partner-deals.c${at}=x; c${at}=y`).join('; ')
  expect(ownCookies(many).split(';')).toHaveLength(50)
})

test('limits connections per IP address, and accepts new connections when others close', async () => {
  const server = makeServer((_request, response) => void response.end(), { isCounted: () => true })
  const { port, close } = await listenLocally(server)
  const open = () => connect(port, '127.0.0.1').on('error', () => {})
  const allowed = Array.from({ length: connectionsPerAddress }, open)
  await Promise.all(allowed.map((socket) => once(socket, 'connect')))
  await once(open().resume(), 'close')
  allowed[0]!.destroy()
  await expect.poll(() => connectionsOf(server), patiently).toBe(connectionsPerAddress - 1)
  const next = open()
  next.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
  const [answer] = await once(next, 'data')
  expect(String(answer)).toContain('HTTP/1.1 200')
  await close()
})

const connectionsOf = (server: Server) =>
  new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count)))

test('does not limit connections of proxies in a private network', () => {
  expect(['127.0.0.1', '10.1.2.3', 'fd00::1'].filter(isPublic)).toEqual([])
  expect(isPublic('203.0.114.9')).toBe(true)
})
