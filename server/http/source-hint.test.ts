import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, createServer, request } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestDatabase, createTestDatabase } from '#db/test-database.ts'
import { connectStandIn } from '#e2e/crm/connected.ts'
import { StandIn } from '#e2e/crm/stand-in.ts'
import { encryptionKey } from '#e2e/dispatchers.ts'
import { listenLocally } from '#e2e/loopback.ts'
import { callerOfClient } from '../access/actor.ts'
import { requestLimits } from '../access/admission-limits.ts'
import { noClient } from '../access/client.ts'
import { Shares } from '../admission/admission.ts'
import { Slots, RequestWork } from '../admission/slots.ts'
import { toApiError } from '../errors.ts'
import type { Services } from '../runtime/services.ts'
import { pauseSource, setSigningSecret } from '../sources/actions.ts'
import { signHubspotRequest } from '../sources/hubspot-webhook.ts'
import { beginRun, endRun, findSource } from '../sources/store.ts'
import { sendApiError } from './answer.ts'
import { answerHint } from './source-hint.ts'

let database: TestDatabase
// These limits are never reached. A poll that exceeds its limits fails, and hints to failing sources are
// ignored.
const crm = new StandIn({ limits: { burst: 1e9, searches: 1e9, daily: 1e9 } })
const publicUrl = 'https://deals.example.com'
const admission = {
  requests: new Slots(requestLimits),
  bodies: new Shares({ inAll: 40, perGroup: 20, perMember: 16 }),
} as Services['admission']
const server = createServer((request, response) => {
  const services = { db: database.db, config: { publicUrl }, encryptionKey, admission } as Services
  const context = { work: new RequestWork(callerOfClient(noClient)), isClosed: false }
  answerHint(services, request, response, context).catch((error: unknown) =>
    sendApiError(response, toApiError(error)),
  )
})
const { url: origin, port, close } = await listenLocally(server)
beforeAll(async () => {
  database = await createTestDatabase()
  await crm.listen()
})
afterAll(() => Promise.all([close(), crm.close(), database.drop()]))

const secret = 'client-secret'
const body = '[{"eventId":1,"subscriptionType":"deal.propertyChange","objectId":"20411000193"}]'

interface HintOptions {
  sent?: string
  /** The body that is signed, if it differs from the one sent. */
  signedBody?: string
  ms?: number
  key?: string
  as?: number
}

/** Sends a signed hint about a source. */
async function hint(
  id: number,
  { sent = body, signedBody, ms = Date.now(), key = secret, as = id }: HintOptions = {},
) {
  const path = `/hooks/sources/${id}`
  const url = `${publicUrl}/hooks/sources/${as}`
  const signed = { method: 'POST', url, body: Buffer.from(signedBody ?? sent), timestamp: String(ms) }
  const answer = await fetch(origin + path, {
    method: 'POST',
    body: sent,
    headers: {
      'content-type': 'application/json',
      'x-hubspot-request-timestamp': String(ms),
      'x-hubspot-signature-v3': signHubspotRequest(signed, key),
    },
  })
  return answer.status
}

/** Creates a source that has been polled, and whose next poll is due in an hour. */
async function makeRead() {
  const source = await connectStandIn(database.db, crm)
  expect(await source.read()).toMatchObject({ problem: null })
  await setSigningSecret(source.context, source.id, secret)
  await database.db.$client`
    update sources set next_at = now() + interval '1 hour', succeeded_at = now() - interval '1 minute'`
  return source
}

const dueInMs = async (id: number) => (await findSource(database.db, id))!.nextAt.getTime() - Date.now()

test('a valid hint triggers an immediate poll, but at least 5 seconds after the previous poll', async () => {
  const { id } = await makeRead()
  expect(await hint(id)).toBe(200)
  expect(await dueInMs(id)).toBeLessThan(500)
  await database.db.$client`update sources set next_at = now() + interval '1 hour', succeeded_at = now()`
  expect(await hint(id)).toBe(200)
  expect(await dueInMs(id)).toBeGreaterThan(3000)
  expect(await dueInMs(id)).toBeLessThan(5500)
})

/** Starts sending a hint, but not its body. */
function beginHint(id: number, headers: Record<string, string>): ClientRequest {
  const begun = request({
    port,
    method: 'POST',
    path: `/hooks/sources/${id}`,
    headers: { 'content-length': 1000, ...headers },
  })
  begun.flushHeaders()
  begun.on('error', () => {})
  return begun
}

const statusOf = async (begun: ClientRequest) =>
  ((await once(begun, 'response')) as [IncomingMessage])[0].statusCode

test('rejects an unsigned or old hint before reading its body', async () => {
  const signature = Buffer.alloc(32).toString('base64')
  for (const [ms, signed] of [
    [Date.now(), ''],
    [Date.now(), 'x'.repeat(44)],
    [Date.now() - 301_000, signature],
  ] as const) {
    const begun = beginHint(1, {
      'x-hubspot-request-timestamp': String(ms),
      'x-hubspot-signature-v3': signed,
    })
    expect(await statusOf(begun)).toBe(401)
    begun.destroy()
  }
})

test("limits a client's concurrent slow hints, and accepts later hints", async () => {
  const { id } = await makeRead()
  const headers = {
    'x-hubspot-request-timestamp': String(Date.now()),
    'x-hubspot-signature-v3': Buffer.alloc(32).toString('base64'),
  }
  const refused: (number | undefined)[] = []
  const slow = Array.from({ length: 100 }, () => {
    const begun = beginHint(id, headers)
    begun.once('response', ({ statusCode }) => refused.push(statusCode))
    return begun
  })
  try {
    await expect.poll(() => refused.length, { timeout: 10_000 }).toBe(84)
    expect(new Set(refused)).toEqual(new Set([429]))
  } finally {
    for (const begun of slow) begun.destroy()
  }
  await expect.poll(() => hint(id)).toBe(200)
  expect(await hint(id, { sent: 'x'.repeat(256 * 1024 + 1) })).toBe(413)
})

test('rejects wrong, altered, old, future and foreign signatures', async () => {
  const { id, context } = await makeRead()
  const minuteMs = 60_000
  for (const wrong of [
    { key: 'another' },
    { sent: body.replace('1', '2'), signedBody: body },
    { ms: Date.now() - 5.1 * minuteMs },
    { ms: Date.now() + 5.1 * minuteMs },
    { as: id + 1 },
  ])
    expect(await hint(id, wrong)).toBe(401)
  expect(await hint(id + 1000)).toBe(401)
  await setSigningSecret(context, id, null)
  expect(await hint(id)).toBe(401)
  expect(await dueInMs(id)).toBeGreaterThan(3_000_000)
})

test('a hint about a deleted deal removes it with the next poll', async () => {
  const source = await connectStandIn(database.db, crm)
  const [deleted, other] = [crm.create({ dealname: 'A' }), crm.create({ dealname: 'B' })]
  await source.read()
  await setSigningSecret(source.context, source.id, secret)
  crm.archive(deleted)
  const events = [{ eventId: 1, subscriptionType: 'deal.deletion', objectId: Number(deleted) }]
  expect(await hint(source.id, { sent: JSON.stringify(events) })).toBe(200)
  await source.read()
  expect(await source.stored(deleted)).toBeUndefined()
  expect(await source.stored(other)).toBeDefined()
})

test('a hint during a poll triggers another one', async () => {
  const { id } = await makeRead()
  await database.db.$client`update sources set next_at = now()`
  const leased = (await beginRun(database.db, id))!
  expect(await hint(id)).toBe(200)
  await endRun(database.db, leased, 60_000)
  expect(await dueInMs(id)).toBeLessThan(5500)
})

test('a hint does not wake a paused or failing source', async () => {
  const { id, context } = await makeRead()
  await pauseSource(context, id)
  expect(await hint(id)).toBe(200)
  expect(await dueInMs(id)).toBeGreaterThan(3_000_000)
  await database.db.$client`update sources set paused_at = null, failing_since = now()`
  expect(await hint(id)).toBe(200)
  expect(await dueInMs(id)).toBeGreaterThan(3_000_000)
})

test("computes the signature from HubSpot's documentation", () => {
  // printf 'POSThttps://a.example/b{"c":1}1700000000000' | openssl dgst -sha256 -hmac key -binary | base64
  const signed = {
    method: 'POST',
    url: 'https://a.example/b',
    body: Buffer.from('{"c":1}'),
    timestamp: '1700000000000',
  }
  expect(signHubspotRequest(signed, 'key')).toBe('W0xhzRS4eCHV9IB6FdcYjv/CQy+zgi+dY91pDsUue64=')
})
