import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from '@playwright/test'
import { requestLimits } from '#server/access/admission-limits.ts'
import { makeToken } from '#server/tokens/token.ts'
import { type RunningSystem, type TestPartner, startSystem } from '../system.ts'
import { type Answer, ask, expectError, expectUnauthorized } from './client.ts'
import { addFile, newDeals } from './deals.ts'
import { dial, listen, parseAnswer } from './raw-http.ts'

const unavailable = 'The service cannot answer at the moment; try again shortly'
/** Maximum number of concurrent requests of a token. Further requests wait. */
const underwayMax = requestLimits.perMember

let system: RunningSystem
let partner: TestPartner

test.beforeAll(async () => {
  system = await startSystem({ env: { RATE_LIMIT_PER_MINUTE: '0' } })
  partner = await system.makePartner({ deals: newDeals(30) })
})

test.afterAll(() => system.dispose())

function expectUnavailable(answer: Answer): void {
  expectError(answer, 503, 'SERVICE_UNAVAILABLE', unavailable)
  expect(answer.headers['retry-after']).toMatch(/^[1-9]\d?$/)
}

test('with RATE_LIMIT_PER_MINUTE=0 there is no limit and no rate limit header', async () => {
  const answers = await Promise.all(
    Array.from({ length: 40 }, () => ask(system, 'GET /api/deals', { token: partner.token })),
  )
  for (const { status, headers } of answers)
    expect([status, Object.keys(headers).filter((name) => name.startsWith('x-ratelimit'))]).toEqual([200, []])
})

test('an unexpected error is a plain 500 whose request id is in the log', async () => {
  await system.db.$client`alter table endpoints rename to endpoints_elsewhere`
  try {
    const answer = await ask(system, 'GET /api/webhook', { token: partner.token })
    expectError(answer, 500, 'INTERNAL_SERVER_ERROR', 'Something went wrong on our side')
    expect(JSON.stringify(answer.headers)).not.toMatch(/endpoints|select|relation|postgres|\/server\/|\.ts/i)
    const id = answer.headers['x-request-id'] as string
    await expect.poll(() => system.output()).toContain(`"requestId":"${id}"`)
    const lines = () =>
      system
        .output()
        .split('\n')
        .filter((line) => line.includes(id))
        .map((line) => JSON.parse(line))
    await expect.poll(() => lines().length).toBe(2)
    expect(lines().map(({ level, status, msg }) => ({ level, status, msg }))).toEqual([
      { level: 50, status: undefined, msg: 'request failed' },
      { level: 30, status: 500, msg: undefined },
    ])
    expectError(
      await ask(system, 'POST /api/webhook', {
        token: partner.token,
        json: { createURL: 'https://crm.example' },
      }),
      500,
      'INTERNAL_SERVER_ERROR',
      'Something went wrong on our side',
    )
    expect((await ask(system, 'GET /api/deals', { token: partner.token })).status).toBe(200)
  } finally {
    await system.db.$client`alter table endpoints_elsewhere rename to endpoints`
  }
  expect((await ask(system, 'GET /api/webhook', { token: partner.token })).status).toBe(200)
})

test('while the database is blocked, a limited number of requests waits, and others get a 503 within a second', async () => {
  const surplus = 40
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const { promise: locked, resolve: haveLock } = Promise.withResolvers<void>()
  const lock = system.db.$client.begin(async (sql) => {
    await sql`lock table deals in access exclusive mode`
    haveLock()
    await released
  })
  await locked
  const refused: Answer[] = []
  const { promise: enough, resolve: haveEnough } = Promise.withResolvers<void>()
  const answers = Array.from({ length: underwayMax + surplus }, async (_, index) => {
    // Request different pages, because a cached page is served without reading the deals table.
    const answer = await ask(system, `GET /api/deals?page=${index + 1}&size=9`, { token: partner.token })
    if (answer.status !== 200 && refused.push(answer) === surplus) haveEnough()
    return answer
  })
  await enough
  expect((await ask(system, 'GET /healthz')).status).toBe(200)
  release()
  await lock
  const statuses = (await Promise.all(answers)).map(({ status }) => status)
  for (const answer of refused) expectUnavailable(answer)
  expect([
    statuses.filter((status) => status === 200).length,
    statuses.filter((status) => status === 503).length,
  ]).toEqual([underwayMax, surplus])
  const after = await Promise.all(
    Array.from({ length: 50 }, () => ask(system, 'GET /api/deals', { token: partner.token })),
  )
  expect(after.map(({ status }) => status)).toEqual(Array(50).fill(200))
})

test('without the database every response is a 503 with Retry-After; service recovers without a restart', async () => {
  const [deal] = newDeals(1)
  const other = await system.makePartner({ deals: [deal!] })
  const fileId = await addFile(system, deal!.id, { name: 'a.txt', content: 'x' })
  const { url } = (await ask(system, `GET /api/files/${fileId}`, { token: other.token })).json
  const requests: [what: string, token?: string][] = [
    ['GET /readyz'],
    ['GET /api/deals', other.token],
    [`GET /api/deals/${deal!.id}`, other.token],
    [`GET /api/files/${fileId}`, other.token],
    ['GET /api/events', other.token],
    ['GET /api/webhook', other.token],
    [`GET ${url.slice(new URL(url).origin.length)}`],
    ['GET /api/deals', makeToken((count) => randomBytes(count))],
  ]
  const seen = requests.map(() => new Set<number>())
  let over = false
  const ask1 = async (at: number) => {
    const [what, token] = requests[at]!
    const answer = await ask(system, what, { token })
    seen[at]!.add(answer.status)
    if (answer.status === 503) expectUnavailable(answer)
    else expect(answer.status, what).toBe(at === requests.length - 1 ? 401 : 200)
    return answer.status
  }
  const watching = requests.map(async (_request, at) => {
    while (!over) await ask1(at)
  })
  const postmaster = Number(
    (await readFile(join(system.dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0],
  )
  // Nothing can restart the database while this lock is held, no matter how slowly requests arrive.
  const lock = new DatabaseSync(join(system.dataDir, 'postgres.lock'))
  lock.exec('begin exclusive')
  process.kill(postmaster, 'SIGKILL')
  await expect
    .poll(() => seen.every((statuses) => statuses.has(503)), { timeout: 20_000, intervals: [10] })
    .toBe(true)
  // Requests without a well-formed token need no database, so they get their response; the process is alive.
  expect((await ask(system, 'GET /healthz')).status).toBe(200)
  expect((await ask(system, 'GET /api/openapi.json')).status).toBe(200)
  expectUnauthorized(await ask(system, 'GET /api/deals'), 'no token')
  expectUnauthorized(await ask(system, 'GET /api/deals', { token: 'pd_wrong' }), 'a bad token')
  lock.close()
  await expect
    .poll(async () => (await ask(system, 'GET /readyz')).status, { timeout: 20_000, intervals: [20] })
    .toBe(200)
  over = true
  await Promise.all(watching)
  const last = await Promise.all(requests.map((_request, at) => ask1(at)))
  expect(last).toEqual([...Array(requests.length - 1).fill(200), 401])
  expect((await ask(system, 'GET /readyz')).text).toBe('{"status":"ready"}')
})

// This test must be last, because it stops the system.
test('the process stops in time although clients keep connections open', async () => {
  await ask(system, 'GET /sign-in')
  const head = `GET /api/deals HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${partner.token}\r\n`
  const connections = [
    `${head}\r\n`,
    `${head}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
    `${head}Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n`,
    'hello\r\n\r\n',
  ].map((bytes) => {
    const socket = dial(system, { allowHalfOpen: true })
    socket.write(bytes)
    return {
      socket,
      answered: new Promise((resolve) => void socket.once('data', resolve)),
      received: listen(socket),
    }
  })
  await Promise.all(connections.map(({ answered }) => answered))
  const started = performance.now()
  expect(await system.stop()).toBe(0)
  expect(performance.now() - started).toBeLessThan(8000)
  for (const { socket, received } of connections) {
    socket.end()
    expect(parseAnswer(await received).status).toBeGreaterThanOrEqual(200)
  }
})
