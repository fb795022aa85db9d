import { expect, test } from '@playwright/test'
import superjson, { type SuperJSONResult } from 'superjson'
import { freePort } from '#db/free-port.ts'
import { signedInUser } from './portal-user.ts'
import { type Receiver, startReceiver, verified } from './receiver.ts'
import { ask } from './rest/client.ts'
import { bringIn, newDeals } from './rest/deals.ts'
import { type RunningSystem, type TestPartner, startSystem } from './system.ts'

// The procedures behind the portal's pages about webhooks, asked over HTTP as the pages do, by everyone who might.

let system: RunningSystem
let receiver: Receiver
test.beforeAll(async () => {
  system = await startSystem({ env: { WEBHOOK_RETRY_SCHEDULE: '0s,1h', LOG_LEVEL: 'debug' } })
  receiver = await startReceiver()
})
test.afterAll(async () => {
  await receiver.close()
  await system.dispose()
})
test.beforeEach(() => {
  receiver.answer = () => 200
  receiver.requests.length = 0
})

const queries = [
  'webhooks.status',
  'webhooks.means',
  'webhooks.secrets',
  'deliveries.list',
  'deliveries.get',
  'deliveries.countFailed',
]

/** Returns what a procedure says: its output as the pages get it, or the code of its error. */
async function call(cookie: string | null, name: string, input?: unknown): Promise<any> {
  const given = JSON.stringify(superjson.serialize(input))
  const headers = {
    ...(cookie === null ? {} : { cookie }),
    'content-type': 'application/json',
    origin: system.url,
  }
  const what = queries.includes(name)
    ? `GET /api/trpc/${name}?${new URLSearchParams({ input: given })}`
    : `POST /api/trpc/${name}`
  const { status, text, json } = await ask(system, what, {
    headers,
    body: what.startsWith('POST') ? given : undefined,
  })
  expect(text).not.toMatch(/ at \S+ \(|select|postgres|node_modules/i)
  if (status === 200) return superjson.deserialize(json.result.data as SuperJSONResult)
  const {
    data: { code, httpStatus },
    message,
  } = json.error.json
  expect(httpStatus).toBe(status)
  return { code, message }
}

/** Returns the cookie of someone who has signed in. */
const signIn = (role: 'admin' | 'member' | 'operator', partner: TestPartner | null) =>
  signedInUser(system, role, partner?.id ?? null)

/** Returns a partner whose events go to the receiver, with an admin. */
async function makeListener(
  addresses = { createURL: `${receiver.url}/created`, updateURL: `${receiver.url}/updated` },
) {
  const partner = await system.makePartner()
  expect((await ask(system, 'POST /api/webhook', { token: partner.token, json: addresses })).status).toBe(200)
  return { ...partner, admin: await signIn('admin', partner) }
}

/** Returns a listener with an event that was delivered and one that failed for good. */
async function makeHistory() {
  const listener = await makeListener()
  receiver.answer = ({ sequence }) => (sequence === 2 ? 500 : 200)
  const deals = newDeals(2)
  await bringIn(system, listener, deals)
  const rows = () =>
    call(listener.admin, 'deliveries.list', {}).then(({ deliveries }) =>
      deliveries.map(({ state, attemptCount }: any) => [state, attemptCount]),
    )
  await expect.poll(rows).toEqual([
    ['retrying', 1],
    ['delivered', 1],
  ])
  await system.db
    .$client`update deliveries set state = 'failed', due_at = null, finished_at = now() where partner_id = ${listener.id} and sequence = 2`
  receiver.answer = () => 200
  const [failed, delivered] = (await call(listener.admin, 'deliveries.list', {})).deliveries
  return { ...listener, deals, failed, delivered }
}

const inputs = (id: number): Record<string, unknown> => ({
  'webhooks.status': undefined,
  'webhooks.means': undefined,
  'webhooks.secrets': undefined,
  'webhooks.examine': { kind: 'create' },
  'webhooks.reveal': undefined,
  'webhooks.rotate': undefined,
  'webhooks.test': { kind: 'create' },
  'webhooks.switchOn': { kind: 'create' },
  'deliveries.list': {},
  'deliveries.get': { id },
  'deliveries.resend': { id },
  'deliveries.countFailed': { since: new Date(0) },
  'deliveries.resendFailed': { since: new Date(0) },
})

/** Returns all that is stored about webhooks. */
const stored = (partnerId: number) => system.db.$client`
  select (select json_agg(d order by id) from deliveries d where partner_id = ${partnerId}) as deliveries, (select json_agg(e order by kind) from endpoints e where partner_id = ${partnerId}) as endpoints,
    (select json_agg(s order by id) from webhook_secrets s where partner_id = ${partnerId}) as secrets`

test('only admins of the partner, and for deliveries the operator, have access', async () => {
  const { id, admin, failed, ...partner } = await makeHistory()
  await call(admin, 'webhooks.reveal')
  const before = await stored(id)
  const others = [
    [null, 'UNAUTHORIZED'],
    ['partner-deals.session=x', 'UNAUTHORIZED'],
    [await signIn('member', { id, ...partner }), 'FORBIDDEN'],
  ] as const
  const operator = [await signIn('operator', null), 'FORBIDDEN'] as const
  for (const [name, input] of Object.entries(inputs(failed.id))) {
    // The installer's own staff look after all deliveries, and stand for no partner.
    for (const [cookie, code] of name.startsWith('deliveries.') || name === 'webhooks.means'
      ? others
      : [...others, operator])
      expect(await call(cookie, name, input), `${name} ${cookie}`).toMatchObject({ code })
    // Tokens are for REST: a page is asked for with a cookie.
    expect(
      (
        await ask(system, `${queries.includes(name) ? 'GET' : 'POST'} /api/trpc/${name}`, {
          token: partner.token,
          headers: { origin: system.url },
          json: {},
        })
      ).status,
      name,
    ).toBe(401)
  }
  expect(await stored(id)).toEqual(before)
  for (const [name, input] of Object.entries(inputs(failed.id)))
    expect((await call(admin, name, input))?.code, name).toBeUndefined()
})

test('at most ten tests are sent a minute; more get a 429 with Retry-After', async () => {
  const { admin } = await makeListener()
  const body = JSON.stringify(superjson.serialize({ kind: 'create' }))
  const answers = await Promise.all(
    Array.from({ length: 40 }, () =>
      ask(system, 'POST /api/trpc/webhooks.test', {
        headers: { cookie: admin, 'content-type': 'application/json', origin: system.url },
        body,
      }),
    ),
  )
  const refused = answers.filter(({ status }) => status === 429)
  expect([
    refused.length,
    answers.filter(({ status }) => status === 200).length,
    receiver.requests.length,
  ]).toEqual([30, 10, 10])
  for (const { headers, json } of refused) {
    expect(json.error.json.data.code).toBe('TOO_MANY_REQUESTS')
    expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1)
    expect(Number(headers['retry-after'])).toBeLessThanOrEqual(60)
  }
})

test("another partner's admin gets the same response as for a missing resource", async () => {
  const { id, failed, delivered } = await makeHistory()
  const other = await makeListener()
  const before = await stored(id)
  for (const name of ['deliveries.get', 'deliveries.resend']) {
    const missing = await call(other.admin, name, { id: Number.MAX_SAFE_INTEGER })
    expect(missing).toEqual({ code: 'NOT_FOUND', message: 'Delivery not found' })
    for (const theirs of [failed.id, delivered.id])
      expect(await call(other.admin, name, { id: theirs })).toEqual(missing)
  }
  expect(await call(other.admin, 'deliveries.list', { cursor: delivered.id })).toEqual({
    deliveries: [],
    next: null,
  })
  expect(await call(other.admin, 'deliveries.list', { dealId: String(failed.dealId) })).toEqual({
    deliveries: [],
    next: null,
  })
  expect(await call(other.admin, 'deliveries.resendFailed', { since: new Date(0) })).toEqual({ count: 0 })
  expect(await stored(id)).toEqual(before)
})

test('invalid input is a 400', async () => {
  const { admin, id } = await makeHistory()
  const before = await stored(id)
  const bad = { code: 'BAD_REQUEST' }
  const far = new Date(8.64e15)
  for (const input of [
    { cursor: 'x' },
    { cursor: 0 },
    { cursor: -1 },
    { cursor: 1.5 },
    { cursor: 2 ** 60 },
    { limit: 0 },
    { limit: 101 },
    { limit: '5' },
    { kind: 'both' },
    { state: 'sent' },
    { dealId: 5 },
    { dealId: 5n },
    { dealId: String(2n ** 63n) },
    { dealId: String(-(2n ** 63n) - 1n) },
    { dealId: '05' },
    { since: '2026-01-01' },
    { since: far },
    { until: new Date(-far.getTime()) },
    { since: new Date(NaN) },
    'x',
    null,
  ])
    expect(
      await call(admin, 'deliveries.list', input),
      JSON.stringify(superjson.serialize(input)),
    ).toMatchObject(bad)
  for (const name of ['deliveries.get', 'deliveries.resend']) {
    for (const input of [{}, { id: '1' }, { id: 0 }, { id: 1.5 }, { id: 2 ** 53 }, { id: null }, undefined])
      expect(await call(admin, name, input)).toMatchObject(bad)
  }
  for (const name of ['deliveries.countFailed', 'deliveries.resendFailed']) {
    for (const input of [{}, { since: 'x' }, { since: far }, { since: 0 }, undefined])
      expect(await call(admin, name, input)).toMatchObject(bad)
  }
  for (const name of ['webhooks.test', 'webhooks.switchOn']) {
    for (const input of [{}, { kind: 'both' }, { kind: ['create'] }, undefined])
      expect(await call(admin, name, input)).toMatchObject(bad)
  }
  expect(await stored(id)).toEqual(before)
})

test('the log is paged by cursor, and a delivery shows the request exactly as it arrived', async () => {
  const { admin, failed, delivered, deals } = await makeHistory()
  const [{ secret }] = await call(admin, 'webhooks.reveal')
  const first = await call(admin, 'deliveries.list', { limit: 1 })
  expect(first).toEqual({ deliveries: [failed], next: failed.id })
  expect(await call(admin, 'deliveries.list', { limit: 1, cursor: first.next })).toEqual({
    deliveries: [delivered],
    next: null,
  })
  expect(
    await call(admin, 'deliveries.list', {
      state: 'delivered',
      dealId: String(deals[0]!.id),
      kind: 'create',
      since: delivered.createdAt,
    }),
  ).toEqual({ deliveries: [delivered], next: null })
  expect(delivered).toMatchObject({
    dealId: deals[0]!.id,
    createdAt: expect.any(Date),
    finishedAt: expect.any(Date),
  })

  const request = receiver.requests.find(({ sequence }) => sequence === 1)!
  const { attempts, ...shown } = await call(admin, 'deliveries.get', { id: delivered.id })
  expect(shown).toEqual({ ...delivered, switchedOffAt: null, body: request.body })
  expect(attempts).toMatchObject([
    {
      number: 1,
      url: `${receiver.url}/created`,
      status: 200,
      error: null,
      responseBody: 'taken',
      responseHeaders: expect.stringContaining('Transfer-Encoding: chunked'),
    },
  ])
  expect(request.headers).toMatchObject(attempts[0].requestHeaders)
  expect(
    Object.keys(request.headers)
      .filter((name) => !(name in attempts[0].requestHeaders))
      .toSorted(),
  ).toEqual(['connection', 'content-length', 'host'])
  expect(
    verified(secret, { ...request, body: shown.body, headers: attempts[0].requestHeaders }),
  ).toMatchObject({ sequence: 1 })
})

test('one delivery is resent, or all that failed, as many as were counted', async () => {
  const { admin, failed, delivered } = await makeHistory()
  receiver.requests.length = 0
  await call(admin, 'deliveries.resend', { id: delivered.id })
  await expect.poll(() => receiver.requests.map(({ id }) => id)).toEqual([delivered.messageId])
  expect(await call(admin, 'deliveries.countFailed', { since: new Date(0) })).toEqual({ count: 1 })
  expect(await call(admin, 'deliveries.countFailed', { since: new Date(Date.now() + 60_000) })).toEqual({
    count: 0,
  })
  expect(await call(admin, 'deliveries.resendFailed', { since: new Date(0) })).toEqual({ count: 1 })
  await expect
    .poll(async () =>
      (await call(admin, 'deliveries.list', { state: 'delivered' })).deliveries.map(
        ({ id, attemptCount }: any) => [id, attemptCount],
      ),
    )
    .toEqual([
      [failed.id, 2],
      [delivered.id, 2],
    ])
  expect(
    (await call(admin, 'deliveries.get', { id: failed.id })).attempts.map(({ status }: any) => status),
  ).toEqual([500, 200])
})

test('a test is signed and marked, outside the sequence, and logged with its one attempt', async () => {
  const { admin, token } = await makeListener()
  const [{ secret }] = await call(admin, 'webhooks.reveal')
  for (const [kind, type, path] of [
    ['create', 'deal.created', '/created'],
    ['update', 'deal.updated', '/updated'],
  ] as const) {
    const result = await call(admin, 'webhooks.test', { kind })
    expect(result).toMatchObject({
      id: expect.any(Number),
      state: 'delivered',
      status: 200,
      error: null,
      responseBody: 'taken',
    })
    const request = receiver.requests.at(-1)!
    expect(request.path).toBe(path)
    expect(verified(secret, request)).toMatchObject({ type, sequence: 0, test: true, data: { id: 0 } })
    const { deliveries } = await call(admin, 'deliveries.list', { kind })
    expect(deliveries).toMatchObject([
      { id: result.id, kind, sequence: null, dealId: null, state: 'delivered', attemptCount: 1 },
    ])
    expect(await call(admin, 'deliveries.get', { id: result.id })).toMatchObject({
      body: request.body,
      attempts: [{ number: 1, status: 200 }],
    })
    expect(await call(admin, 'deliveries.resend', { id: result.id })).toMatchObject({ code: 'NOT_FOUND' })
  }
  expect((await ask(system, 'GET /api/events', { token })).text).toBe('{"events":[],"last":0,"next":0}')
})

test('a test that fails is not retried, and does not count against its endpoint', async () => {
  const { admin, id } = await makeListener({
    createURL: `http://127.0.0.1:${await freePort()}/`,
    updateURL: receiver.url,
  })
  receiver.answer = () => 410
  expect(await call(admin, 'webhooks.test', { kind: 'create' })).toMatchObject({
    state: 'failed',
    status: null,
    error: 'the connection was refused',
  })
  expect(await call(admin, 'webhooks.test', { kind: 'update' })).toMatchObject({
    state: 'failed',
    status: 410,
    error: null,
  })
  expect(await call(admin, 'webhooks.status')).toMatchObject([
    { kind: 'create', failingSince: null, switchedOffAt: null },
    { kind: 'update', failingSince: null, switchedOffAt: null },
  ])
  expect(
    await system.db
      .$client`select state, due_at, leased_until, attempt_count from deliveries where partner_id = ${id}`,
  ).toEqual(Array(2).fill({ state: 'failed', due_at: null, leased_until: null, attempt_count: 1 }))
  expect(await call(admin, 'deliveries.countFailed', { since: new Date(0) })).toEqual({ count: 0 })
  const bare = await signIn('admin', await system.makePartner())
  for (const name of ['webhooks.test', 'webhooks.switchOn'])
    expect(await call(bare, name, { kind: 'create' })).toEqual({
      code: 'NOT_FOUND',
      message: 'Endpoint not found',
    })
})

test('an endpoint that is switched off can be tested; switched on again, it receives what waited', async () => {
  const { admin, ...partner } = await makeListener()
  receiver.answer = () => 410
  const [deal, later] = newDeals(2)
  await bringIn(system, partner, [deal!])
  await expect.poll(async () => (await call(admin, 'webhooks.status'))[0].switchedOffBecause).toBe('gone')
  receiver.answer = () => 200
  await bringIn(system, partner, [later!])
  expect(await call(admin, 'webhooks.test', { kind: 'create' })).toMatchObject({ state: 'delivered' })
  expect((await call(admin, 'webhooks.status'))[0]).toMatchObject({
    kind: 'create',
    url: `${receiver.url}/created`,
    switchedOffAt: expect.any(Date),
    failingSince: expect.any(Date),
  })
  await call(admin, 'webhooks.switchOn', { kind: 'create' })
  await expect.poll(() => receiver.requests.map(({ sequence }) => sequence).toSorted()).toEqual([0, 1, 1, 2])
  expect((await call(admin, 'webhooks.status'))[0]).toMatchObject({
    switchedOffAt: null,
    switchedOffBecause: null,
  })
})

test('the secret is shown to admins alone: in no REST response, delivery or log line', async () => {
  const { admin, failed, ...partner } = await makeHistory()
  const secrets = [...(await call(admin, 'webhooks.reveal')), ...(await call(admin, 'webhooks.rotate'))].map(
    ({ secret }: { secret: string }) => secret.slice('whsec_'.length),
  )
  expect(new Set(secrets).size).toBe(2)
  await call(admin, 'webhooks.test', { kind: 'create' })
  const { token } = partner
  const shown = [
    JSON.stringify(await call(admin, 'webhooks.status')),
    superjson.stringify(await call(admin, 'deliveries.get', { id: failed.id })),
  ]
  for (const what of ['GET /api/webhook', 'GET /api/events', 'GET /api/deals', 'GET /api/openapi.json'])
    shown.push((await ask(system, what, { token })).text)
  shown.push((await ask(system, 'POST /api/webhook', { token, json: { createURL: receiver.url } })).text)
  shown.push(
    JSON.stringify(
      await system.db
        .$client`select d.*, a.* from deliveries d left join attempts a on delivery_id = id where partner_id = ${partner.id}`,
    ),
    system.output(),
  )
  for (const secret of secrets) for (const text of shown) expect(text).not.toContain(secret)
  for (let count = 3; count <= 5; count++) expect(await call(admin, 'webhooks.rotate')).toHaveLength(count)
  expect(await call(admin, 'webhooks.rotate')).toEqual({
    code: 'BAD_REQUEST',
    message: expect.stringContaining('wait until an older one has expired'),
  })
})
