import type { Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { actorOfRequest } from '#server/access/actor.ts'
import { streams } from '#server/api.ts'
import { issueToken } from '#server/tokens/issue-token.ts'
import { type LocalSystem, openLocalSystem } from './local-system.ts'
import type { TestPartner } from './partners.ts'
import { ask } from './rest/client.ts'
import { dial } from './rest/raw-http.ts'

// Partners are isolated: one partner is served even while another uses everything it can get.

let system: LocalSystem
let lastId = 0n
beforeAll(async () => {
  system = await openLocalSystem()
})
afterAll(() => system.close())

const makePartner = (count = 3) =>
  system.makePartner({ deals: Array.from({ length: count }, () => ({ id: ++lastId })) })

/** Returns two tokens of the partner. The limit of the partner is less than the sum of their limits. */
async function twoTokens({ id: partnerId, token }: TestPartner): Promise<string[]> {
  const another = await issueToken(system.db, { partnerId, name: 'another', expiresAt: null })
  return [token, another.token]
}

/** Lists a partner's deals several times simultaneously. Returns the statuses. */
const list = async ({ token }: TestPartner, times: number) =>
  (await Promise.all(Array.from({ length: times }, () => ask(system, 'GET /api/deals', { token })))).map(
    ({ status }) => status,
  )

test('lists respond while 280 request bodies of two tokens stall after their first byte', async () => {
  const [slow, neighbour] = [await makePartner(), await makePartner()]
  const { host } = new URL(system.url)
  const tokens = await twoTokens(slow)
  const sockets: Socket[] = []
  for (let index = 0; index < 280; index++) {
    const socket = dial(system).resume()
    socket.on('error', () => {})
    socket.write(
      `POST /api/events/reconcile HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${tokens[index % 2]}\r\n` +
        'Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{',
    )
    sockets.push(socket)
  }
  try {
    await Promise.all(
      sockets.map((socket) =>
        socket.connecting ? new Promise((done) => socket.once('connect', done)) : null,
      ),
    )
    expect(await list(neighbour, 40)).toEqual(Array<number>(40).fill(200))
    expect(sockets.filter(({ closed }) => !closed).length).toBeGreaterThan(40)
  } finally {
    for (const socket of sockets) socket.destroy()
  }
})

test('an export finishes while two exports of another partner are stalled by a slow reader', async () => {
  const [greedy, neighbour] = [await makePartner(), await makePartner(7)]
  const callerWith = async (token: string) =>
    streams.createCaller({
      services: system.services,
      actor: await actorOfRequest(system.services, `Bearer ${token}`),
      ifNoneMatch: () => false,
    })
  const { promise: taken, resolve: letGo } = Promise.withResolvers<void>()
  const exportOf = async (token: string, take: (count: number) => Promise<void>) => {
    const begin = await (
      await callerWith(token)
    ).deals.export({ filter: {}, sort: { field: 'lastModified', direction: 'desc' }, derived: [] })
    return begin((deals) => take(deals.length))
  }
  const held = (await twoTokens(greedy)).map(async (token) => {
    const { promise: begun, resolve } = Promise.withResolvers<void>()
    const done = exportOf(token, async () => {
      resolve()
      await taken
    })
    await Promise.race([begun, done])
    return { done }
  })
  const exports = await Promise.all(held)
  try {
    let count = 0
    await exportOf(neighbour.token, async (deals) => {
      count += deals
    })
    expect(count).toBe(7)
  } finally {
    letGo()
    await Promise.all(exports.map(({ done }) => done))
  }
})
