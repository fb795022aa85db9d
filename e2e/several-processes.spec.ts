import { rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@playwright/test'
import { createTRPCClient, httpLink } from '@trpc/client'
import { type EmbeddedDatabase, startEmbedded } from '#db/embedded.ts'
import { freePort } from '#db/free-port.ts'
import type { Api } from '#server/api.ts'
import { listTokens } from '#server/tokens/store.ts'
import { transformer } from '#server/values/transformer.ts'
import { type Balancer, balancedPorts, balancerName, startBalancer } from './balancer.ts'
import { samplesOf } from './exposition.ts'
import { signedInUser } from './portal-user.ts'
import { acceptedSequences, outOfOrder, startReceiver } from './receiver.ts'
import { ask, untilTaken } from './rest/client.ts'
import { newDeals } from './rest/deals.ts'
import { openStream } from './streams.ts'
import { type RunningSystem, type RunningProgram, startSystem, temporaryDirectory } from './system.ts'

// Three web processes and two workers on one database behind a load balancer. What one process does must take
// effect in all of them.

const perMinute = 600

let directory: string
let database: EmbeddedDatabase
let balancer: Balancer
let env: Record<string, string>
let ports: number[]
const metricsPorts: number[] = []
const webs: RunningSystem[] = []
const workers: RunningProgram[] = []

test.beforeAll(async () => {
  directory = await temporaryDirectory()
  const settings = { fsync: 'off', synchronous_commit: 'off' }
  database = await startEmbedded({
    dataDir: join(directory, 'database'),
    database: 'partner_deals',
    log: () => {},
    settings,
  })
  const balanced = await balancedPorts(3)
  ports = balanced.ports
  while (metricsPorts.length < 5) metricsPorts.push(await freePort())
  env = {
    DATABASE_URL: database.url,
    PUBLIC_URL: `http://127.0.0.1:${balanced.port}`,
    RATE_LIMIT_PER_MINUTE: String(perMinute),
    WORKER: 'off',
    DRAIN_S: '2',
    WEBHOOK_ALLOW_HTTP: 'on',
    WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
  }
  webs.push(await startWeb(0))
  webs.push(...(await Promise.all([startWeb(1), startWeb(2)])))
  workers.push(
    ...(await Promise.all(
      [3, 4].map((at) => webs[0]!.startWorker({ METRICS_PORT: String(metricsPorts[at]) })),
    )),
  )
  balancer = await startBalancer(directory, balanced.port, ports)
})
test.afterAll(async () => {
  await balancer.close()
  await Promise.all([...workers, ...webs].map((each) => each.stop('SIGKILL')))
  await database.stop()
  await rm(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
})

const startWeb = (at: number) =>
  startSystem({
    dataDir: join(directory, 'data'),
    env: { ...env, PORT: String(ports[at]), METRICS_PORT: String(metricsPorts[at]) },
  })

const front = () => ({ ...webs[0]!, url: balancer.url })

/** Returns the portal's procedures for a session's owner, called through the process at `url`. */
const portalOf = (url: string, cookie: string) =>
  createTRPCClient<Api>({
    links: [
      httpLink({
        url: `${url}/api/trpc`,
        transformer,
        headers: { cookie, origin: env.PUBLIC_URL! },
        fetch: (...request) => untilTaken(() => fetch(...request)),
      }),
    ],
  })

test('all processes share the rate limits of requests, webhook tests and checks', async () => {
  const partner = await webs[0]!.makePartner({ deals: newDeals(3) })
  const agent = new Agent({ keepAlive: true, maxSockets: 12 })
  // Retry requests that a busy process refused, because the rate limit does not count them.
  const counted = () =>
    untilTaken(async () => ({ status: await statusOf(balancer.url, partner.token, agent) }))
  const answers = await Promise.all(Array.from({ length: 1.5 * perMinute }, counted))
  const statuses = answers.map(({ status }) => status)
  agent.destroy()
  const allowed = statuses.filter((status) => status === 200).length
  expect(new Set(statuses)).toEqual(new Set([200, 429]))
  expect(allowed).toBeLessThanOrEqual(perMinute)
  expect(allowed).toBeGreaterThanOrEqual(perMinute * 0.9)
  for (const web of webs) {
    const { status, headers } = await ask(web, 'GET /api/deals', { token: partner.token })
    expect([status, headers['x-ratelimit-remaining']]).toEqual([429, '0'])
  }

  const receiver = await startReceiver()
  const second = await webs[0]!.makePartner()
  await ask(webs[0]!, 'POST /api/webhook', { token: second.token, json: { createURL: receiver.url } })
  const cookie = await signedInUser(webs[0]!, 'admin', second.id)
  for (const procedure of ['test', 'examine'] as const) {
    const outcomes = await Promise.all(
      Array.from({ length: 15 }, (_, at) =>
        portalOf(webs[at % 3]!.url, cookie)
          .webhooks[procedure].mutate({ kind: 'create' })
          .then(
            () => 'done',
            (error: { data?: { code?: string } }) => error.data?.code,
          ),
      ),
    )
    expect(outcomes.toSorted()).toEqual([
      ...Array<string>(5).fill('TOO_MANY_REQUESTS'),
      ...Array<string>(10).fill('done'),
    ])
  }
  await receiver.close()
})

test('an import uploaded through two processes is followed on a third, and workers send its events', async () => {
  const partner = await webs[0]!.makePartner()
  const receiver = await startReceiver()
  await ask(webs[0]!, 'POST /api/webhook', { token: partner.token, json: { createURL: receiver.url } })
  const cookie = await signedInUser(webs[0]!, 'operator', null)
  const [first, third] = [portalOf(webs[0]!.url, cookie), portalOf(webs[2]!.url, cookie)]
  const deals = newDeals(120)
  const bytes = new Uint8Array(
    Buffer.from(deals.map(({ id }) => `{"id":${id},"dealname":"Imported ${id}"}\n`).join('')),
  )
  const half = Math.floor(bytes.length / 2)
  const { id } = await first.imports.begin.mutate({
    fileName: 'deals.ndjson',
    sizeBytes: bytes.length,
    partner: partner.slug,
    events: true,
  })
  const append = async (web: RunningSystem, offset: number, body: Uint8Array<ArrayBuffer>) => {
    const headers = { cookie, origin: env.PUBLIC_URL!, 'content-type': 'application/octet-stream' }
    const url = `${web.url}/imports/${id}/content?offset=${offset}`
    expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(200)
  }
  await append(webs[0]!, 0, bytes.slice(0, half))
  await append(webs[1]!, half, bytes.slice(half))
  const stateOf = async () => (await third.imports.one.query({ id })).state
  await expect.poll(stateOf, { intervals: [50] }).toBe('checked')
  await third.imports.start.mutate({ id })
  await expect
    .poll(async () => (await first.imports.one.query({ id })).state, { intervals: [50] })
    .toBe('done')
  for (const web of webs)
    expect(JSON.parse((await ask(web, 'GET /api/deals', { token: partner.token })).text)).toMatchObject({
      count: deals.length,
    })
  await expect.poll(() => receiver.ids.size, { intervals: [50] }).toBe(deals.length)
  expect(new Set(acceptedSequences(receiver)).size).toBe(deals.length)
  expect(outOfOrder(receiver)).toEqual([])
  await receiver.close()
})

test('changes and revocations take effect in all processes', async () => {
  const partner = await webs[0]!.makePartner({ deals: newDeals(1) })
  const cookie = await signedInUser(webs[0]!, 'member', partner.id)
  const streams = await Promise.all(webs.map((web) => openStream(web, cookie)))
  expect(streams.map(({ status }) => status)).toEqual([200, 200, 200])
  const [deal] = newDeals(1) as [{ id: bigint }]
  await webs[0]!.operator(['import', '-', '--partner', partner.slug], `{"id":${deal.id}}\n`)
  for (const { messages } of streams)
    await expect
      .poll(() => JSON.stringify(messages), { intervals: [20] })
      .toContain(`"${partner.id}":["${deal.id}"]`)
  streams.forEach((stream) => stream.close())

  const statuses = () =>
    Promise.all(webs.map(async (web) => (await ask(web, 'GET /api/deals', { token: partner.token })).status))
  expect(await statuses()).toEqual([200, 200, 200])
  const { id } = (await listTokens(webs[0]!.db)).find((token) => token.partner === partner.slug)!
  expect((await webs[0]!.operator(['token', 'revoke', String(id)])).code).toBe(0)
  expect(await statuses()).toEqual([401, 401, 401])
})

test('each process has its own metrics', async () => {
  const lists = async (at: number) => {
    const text = await (await fetch(`http://127.0.0.1:${metricsPorts[at]}/metrics`)).text()
    return samplesOf(text)['partner_deals_http_requests_total{operation="deals.list",status="200"}'] ?? 0
  }
  const all = () => Promise.all([0, 1, 2].map(lists))
  const before = await all()
  const { token } = await webs[0]!.makePartner()
  for (let count = 0; count < 9; count++) await ask(front(), 'GET /api/deals', { token })
  const added = (await all()).map((count, at) => count - before[at]!)
  expect(added.reduce((sum, count) => sum + count)).toBe(9)
  expect(added.every((count) => count > 0)).toBe(true)
  for (const at of [3, 4])
    expect((await fetch(`http://127.0.0.1:${metricsPorts[at]}/metrics`)).status).toBe(200)
})

test(`a rolling restart behind ${balancerName} fails no request`, async () => {
  const partners = await Promise.all([1, 2, 3, 4, 5, 6].map(() => webs[0]!.makePartner()))
  const agent = new Agent({ keepAlive: true, maxSockets: 6 })
  const statuses: (number | string)[] = []
  let isDone = false
  const clients = partners.map(async ({ token }) => {
    while (!isDone) {
      statuses.push(await statusOf(balancer.url, token, agent))
      await sleep(40)
    }
  })
  for (const at of [0, 1, 2]) {
    const web = webs[at]!
    const before = statuses.length
    const stopped = web.stop()
    await expect.poll(() => ready(web), { intervals: [20] }).toBe(503)
    expect(await connectionAfter(web, partners[0]!.token)).toEqual({ status: 200, connection: 'close' })
    expect(await stopped).toBe(0)
    webs[at] = await startWeb(at)
    await expect.poll(() => statuses.length, { intervals: [20] }).toBeGreaterThan(before + 20)
    await sleep(300)
  }
  isDone = true
  await Promise.all(clients)
  agent.destroy()
  expect(statuses.length).toBeGreaterThan(100)
  expect(statuses.filter((status) => status !== 200)).toEqual([])
})

/** Requests the list over a persistent connection. Resolves to the status or the error. */
function statusOf(url: string, token: string, agent: Agent): Promise<number | string> {
  return new Promise((resolve) => {
    request(
      `${url}/api/deals?size=1`,
      { agent, headers: { authorization: `Bearer ${token}` } },
      (response) => {
        response.resume().once('end', () => resolve(response.statusCode!))
      },
    )
      .once('error', (error) => resolve(error.message))
      .end()
  })
}

const ready = async ({ url }: RunningSystem) => (await fetch(`${url}/readyz`)).status

/**
 * Requests the list from a process over a reusable connection. Resolves to the status and the `Connection`
 * header.
 */
function connectionAfter({ url }: RunningSystem, token: string) {
  const agent = new Agent({ keepAlive: true })
  return new Promise((resolve, reject) => {
    request(
      `${url}/api/deals?size=1`,
      { agent, headers: { authorization: `Bearer ${token}` } },
      (response) => {
        const { statusCode: status, headers } = response
        response.resume().once('end', () => {
          agent.destroy()
          resolve({ status, connection: headers.connection })
        })
      },
    )
      .once('error', reject)
      .end()
  })
}
