import { createServer } from 'node:http'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import zapier from 'zapier-platform-core'
import { type LocalSystem, openLocalSystem } from '../local-system.ts'
import { listenLocally } from '../loopback.ts'
import type { TestPartner } from '../partners.ts'
import { type Receiver, startReceiver } from '../receiver.ts'
import { unpack } from '../unpack.ts'
import { ask } from './client.ts'
import { bringIn } from './deals.ts'

// The Zapier app as downloaded, run in Zapier's own test tool against a running system.

const id = 9_007_199_254_740_993n
let system: LocalSystem
let partner: TestPartner
let receiver: Receiver
let app: any
let call: (work: unknown, bundle?: object) => Promise<any>
let authData: { url: string; token: string }

beforeAll(async () => {
  const folder = await unpack('zapier-partner-deals.tgz')
  app = (await import(pathToFileURL(join(folder, 'index.js')).href)).default
  system = await openLocalSystem({ worker: true })
  partner = await system.makePartner({ deals: [{ id, dealname: 'Garcia, Daniel', stage: 'Sold' }] })
  receiver = await startReceiver()
  authData = { url: system.url, token: partner.token }
  // By default, the test tool patches http for the whole process in order to log requests.
  const tester = zapier.createAppTester({ ...app, flags: { skipHttpPatch: true } })
  call = (work, bundle) => tester(work as never, { authData, inputData: {}, ...bundle } as never)
})
afterAll(() => Promise.all([system.close(), receiver.close()]))

const trigger = () => app.triggers.deal_changed.operation

test("is valid according to Zapier's schema", async () => {
  const validated = await (zapier as any).createAppHandler(app)({ command: 'validate' })
  expect(validated.results.map(String)).toEqual([])
})

test('connects with a token, and explains a failed connection', async () => {
  const works = await call(app.authentication.test)
  expect(works.count).toBe(1)
  await expect(call(app.authentication.test, { authData: { ...authData, token: 'pd_x' } })).rejects.toThrow(
    'The token is not valid',
  )
})

test('subscribes once, receives a changed deal with its exact id, and can unsubscribe repeatedly', async () => {
  const bundle = {
    targetUrl: `${receiver.url}/zap`,
    inputData: { events: ['deal.updated'], changed: ['stage'] },
  }
  const subscribeData = await call(trigger().performSubscribe, bundle)
  expect(subscribeData).toMatchObject({ id: expect.any(String), url: bundle.targetUrl, changed: ['stage'] })
  expect((await call(trigger().performSubscribe, bundle)).id).toBe(subscribeData.id)

  await bringIn(system, partner, [{ id, dealname: 'Garcia, D.', stage: 'Sold' }])
  await bringIn(system, partner, [{ id, dealname: 'Garcia, D.', stage: 'Installed' }])
  await expect.poll(() => receiver.requests.length).toBe(1)
  const { body, headers } = receiver.requests[0]!
  const delivered = { rawRequest: { content: body, headers }, cleanedRequest: JSON.parse(body) }
  const [event, ...others] = await call(trigger().perform, delivered)
  expect(others).toEqual([])
  expect(event).toMatchObject({
    id: '3',
    type: 'deal.updated',
    dealId: String(id),
    data: { id: String(id), stage: 'Installed' },
    changes: [{ field: 'stage', from: 'Sold', to: 'Installed' }],
  })
  // A repeated delivery has the same ID.
  expect((await call(trigger().perform, delivered))[0].id).toBe('3')

  for (let time = 1; time <= 2; time++)
    expect(await call(trigger().performUnsubscribe, { ...bundle, subscribeData })).toEqual({})
  const { json } = await ask(system, 'GET /api/webhooks', { token: partner.token })
  expect(json.subscriptions).toEqual([])
})

test('shows the newest events as samples, in the format of deliveries', async () => {
  const samples = await call(trigger().performList)
  expect(samples.length).toBeGreaterThan(0)
  expect(samples[0]).toMatchObject({ dealId: String(id), data: { id: String(id) } })
  expect(samples.map((sample: any) => Number(sample.id))).toEqual(
    samples.map((sample: any) => sample.sequence).toSorted((a: number, b: number) => b - a),
  )
  expect(Object.keys(samples[0])).toEqual(expect.arrayContaining(Object.keys(trigger().sample)))
})

test('finds a deal by text and stage, or returns none', async () => {
  const { perform } = app.searches.find_deal.operation
  expect(await call(perform, { inputData: { q: 'garcia' } })).toMatchObject([{ id: String(id) }])
  expect(await call(perform, { inputData: { q: 'garcia', stage: 'No such stage' } })).toEqual([])
})

test.for([
  ['7', 7],
  ['Fri, 27 Nov 2026 20:00:00 GMT', 60],
] as const)('is throttled by a 503 with Retry-After: %s', async ([header, delay], { onTestFinished }) => {
  const proxy = createServer((_, response) => response.writeHead(503, { 'Retry-After': header }).end())
  const { url, close } = await listenLocally(proxy)
  onTestFinished(close)
  const failed = call(trigger().performList, { authData: { ...authData, url } })
  await expect(failed).rejects.toMatchObject({
    name: 'ThrottledError',
    message: expect.stringContaining(`"delay":${delay}`),
  })
})

test("reports a filter rejected by the API with the API's message", async () => {
  const bundle = { targetUrl: `${receiver.url}/zap`, inputData: { filter: 'stagee=Sold' } }
  await expect(call(trigger().performSubscribe, bundle)).rejects.toThrow(/filter\.stagee/)
})
