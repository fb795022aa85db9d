import { expect, test } from '@playwright/test'
import { freePort } from '#db/free-port.ts'
import { tokenPrefix } from '#server/tokens/policy.ts'
import { type Collector, startCollector } from './collector.ts'
import { samplesOf } from './exposition.ts'
import { type Receiver, startReceiver } from './receiver.ts'
import { ask } from './rest/client.ts'
import { bringIn, newIds } from './rest/deals.ts'
import { type RunningSystem, type RunningProgram, startSystem } from './system.ts'

// Metrics and traces of a running system. The web process does not send webhooks; a separate worker does.

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const clientSpan = '00f067aa0ba902b7'
const secretName = 'Lopez, Ana'

let system: RunningSystem
let worker: RunningProgram
let collector: Collector
let ofWorker: Collector
let receiver: Receiver
let webPort: number
let workerPort: number

// Spans are only exported on stop, so the collector must get them then.
const rareExport = { OTEL_BSP_SCHEDULE_DELAY: '600000' }

test.beforeAll(async () => {
  webPort = await freePort()
  workerPort = await freePort()
  collector = await startCollector()
  ofWorker = await startCollector()
  receiver = await startReceiver()
  system = await startSystem({
    env: {
      WORKER: 'off',
      METRICS_PORT: String(webPort),
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      WEBHOOK_RETRY_SCHEDULE: `0s${',100ms'.repeat(50)}`,
      WEBHOOK_THROTTLE_MS: '0',
      ...rareExport,
    },
  })
  worker = await system.startWorker({
    METRICS_PORT: String(workerPort),
    OTEL_EXPORTER_OTLP_ENDPOINT: ofWorker.url,
  })
})
test.afterAll(async () => {
  await system.dispose()
  await Promise.all([collector.close(), ofWorker.close(), receiver.close()])
})

const textAt = async (port: number) => (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
const figuresAt = async (port: number) => samplesOf(await textAt(port))
const requestsOf = (operation: string, status: number) =>
  `partner_deals_http_requests_total{operation="${operation}",status="${status}"}`

test('counts requests by operation and status, without labels chosen by clients', async () => {
  const { token, slug } = await system.makePartner()
  expect(
    await system.operator(
      ['import', '-', '--partner', slug],
      newIds(2)
        .map((id) => `{"id":${id},"dealname":"${secretName}"}`)
        .join('\n'),
    ),
  ).toMatchObject({ code: 0, stderr: '' })
  const calls: [what: string, status: number, operation: string, headers?: Record<string, string>][] = [
    ['GET /api/deals?size=1', 200, 'deals.list', { traceparent: `00-${traceId}-${clientSpan}-01` }],
    ['GET /api/deals?size=0', 400, 'deals.list'],
    ['GET /api/deals/1', 404, 'deals.get'],
    ['GET /api/constructor', 404, 'rest'],
    ['GET /api/openapi.json', 200, 'document'],
    ['GET /readyz', 200, 'health'],
    ['GET /files/nothing', 403, 'file'],
    ['GET /sign-in', 200, 'portal'],
    ['GET /api/trpc/accounts.means', 200, 'accounts.means'],
    ['GET /api/trpc/accounts.means,accounts.means?batch=1&input=%7B%7D', 200, 'batch'],
    ['GET /api/trpc/toString', 404, 'portal'],
  ]
  for (const [what, status, , headers] of calls)
    expect([what, (await ask(system, what, { token, headers })).status]).toEqual([what, status])
  expect((await ask(system, 'GET /api/deals')).status).toBe(401)
  const expected = Object.fromEntries(
    calls.map(([, status, operation]) => [requestsOf(operation, status), 1]),
  )
  await expect
    .poll(() => figuresAt(webPort))
    .toMatchObject({ ...expected, [requestsOf('rest', 401)]: 1, partner_deals_http_requests_underway: 0 })

  const figures = await figuresAt(webPort)
  expect(
    Object.entries(figures)
      .filter(([name]) => name.startsWith('partner_deals_http_requests_total'))
      .reduce((sum, [, count]) => sum + count, 0),
  ).toBe(calls.length + 1)
})

test('counts each delivery attempt once, in the process that sends it', async () => {
  const partner = await system.makePartner()
  await ask(system, 'POST /api/webhook', {
    token: partner.token,
    json: { createURL: `${receiver.url}/?key=xyz`, updateURL: `${receiver.url}/?key=xyz` },
  })
  const pendingStatus = Promise.withResolvers<number>()
  receiver.answer = () => pendingStatus.promise
  await bringIn(
    system,
    partner,
    newIds(3).map((id) => ({ id, dealname: secretName })),
  )
  await expect.poll(() => receiver.requests.length).toBe(3)
  receiver.answer = () => 503
  pendingStatus.resolve(503)
  await expect
    .poll(
      async () => (await figuresAt(workerPort))['partner_deals_delivery_attempts_total{result="retried"}'],
    )
    .toBeGreaterThan(5)
  receiver.answer = () => 200
  await expect
    .poll(() => figuresAt(workerPort))
    .toMatchObject({
      'partner_deals_delivery_attempts_total{result="delivered"}': 3,
      'partner_deals_delivery_attempts_total{result="failed"}': 0,
      partner_deals_deliveries_waiting: 0,
      partner_deals_deliveries_oldest_due_age_seconds: 0,
      partner_deals_endpoints_longest_failing_seconds: 0,
    })
  expect((await figuresAt(webPort))['partner_deals_delivery_attempts_total{result="delivered"}']).toBe(0)
  expect(
    receiver.requests
      .flatMap(({ headers }) => Object.keys(headers))
      .filter((name) => /trace|baggage/.test(name)),
  ).toEqual([])
})

test('metrics are separate for each process, and contain no personal data', async () => {
  const partners = await system.db.$client<{ slug: string }[]>`select slug from partners`
  for (const port of [webPort, workerPort]) {
    const text = await textAt(port)
    expect(samplesOf(text)).toMatchObject({ partner_deals_database_up: 1 })
    for (const word of [tokenPrefix, 'Lopez', 'api/', 'xyz', ...partners.map(({ slug }) => slug)])
      expect(text).not.toContain(word)
    expect((await fetch(`http://127.0.0.1:${port}/api/deals`)).status).toBe(404)
  }
})

// This test must be last, because it stops the system and checks what other tests left behind.
test('exports spans on stop, in order and without personal data', async () => {
  expect(await Promise.all([worker.stop(), system.stop()])).toEqual([0, 0])
  const { spans } = collector
  const below = (spanId: string) => spans.filter(({ parentSpanId }) => parentSpanId === spanId)
  const [list] = spans.filter((span) => span.traceId === traceId && span.parentSpanId === clientSpan)
  expect(list).toMatchObject({
    name: 'GET deals.list',
    kind: 2,
    attributes: { 'http.response.status_code': 200 },
    resource: { 'service.name': 'partner-deals' },
  })
  expect(below(list!.spanId)).toMatchObject([{ name: 'deals.list', traceId, status: 0 }])
  const whole = spans.find(({ name }) => name === 'import')!
  expect(below(whole.spanId)).toMatchObject([
    { name: 'import batch', attributes: { 'partner_deals.created': 2, 'partner_deals.rejected': 0 } },
  ])
  expect(spans.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      'GET portal',
      'GET accounts.means',
      'GET batch',
      'GET health',
      'GET rest',
      'POST webhooks.set',
    ]),
  )

  expect(ofWorker.spans.length).toBeGreaterThan(8)
  for (const span of ofWorker.spans)
    expect(span).toMatchObject({ name: 'delivery', kind: 3, attributes: { 'server.address': '127.0.0.1' } })
  for (const text of [collector.text(), ofWorker.text()])
    for (const word of [tokenPrefix, 'Lopez', 'xyz', 'api/', 'size=', 'input='])
      expect(text).not.toContain(word)
})
