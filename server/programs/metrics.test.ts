import { createServer } from 'node:http'
import { afterAll, describe, expect, test } from 'vitest'
import { openDatabase } from '#db/client.ts'
import { changeDeals, makeReceivingPartner } from '#e2e/delivery-queue.ts'
import { faultsOf, samplesOf } from '#e2e/exposition.ts'
import { listenLocally } from '#e2e/loopback.ts'
import { openTestDatabase } from '#e2e/open-database.ts'
import { startReceiver } from '#e2e/receiver.ts'
import { statementLimits } from '../access/admission-limits.ts'
import { Slots } from '../admission/slots.ts'
import { serveMetrics } from '../http/listen.ts'
import { ConfigurationError } from '../runtime/env.ts'
import type { Services } from '../runtime/services.ts'
import { type Metrics, makeMetrics } from './metrics.ts'

const database = await openTestDatabase()

const closing: (() => Promise<void>)[] = []
afterAll(() => Promise.all(closing.map((close) => close())))

/** Serves the metrics, and returns a function that requests them. */
async function serve(metrics: Metrics): Promise<(target?: string, method?: string) => Promise<Response>> {
  const { url, close } = await listenLocally(createServer(metrics.answer))
  closing.push(close)
  return (target = '/metrics', method = 'GET') => fetch(url + target, { method })
}

const read = async (ask: () => Promise<Response>) => samplesOf(await (await ask()).text())

describe('the metrics of a process', () => {
  test('count requests by operation and status, with durations', async () => {
    const metrics = makeMetrics(database.db)
    const ask = await serve(metrics)
    for (const status of [200, 200, 304, null]) metrics.begin()('deals.list', status)
    const still = metrics.begin()
    expect(await read(ask)).toMatchObject({
      'partner_deals_http_requests_total{operation="deals.list",status="200"}': 2,
      'partner_deals_http_requests_total{operation="deals.list",status="304"}': 1,
      'partner_deals_http_requests_total{operation="deals.list",status="none"}': 1,
      'partner_deals_http_request_duration_seconds_count{operation="deals.list"}': 4,
      'partner_deals_http_request_duration_seconds_bucket{le="+Inf",operation="deals.list"}': 4,
      partner_deals_http_requests_underway: 1,
    })
    still('portal', 200)
    expect(await read(ask)).toMatchObject({ partner_deals_http_requests_underway: 0 })
  })

  test('count attempts by delivery result, starting at zero', async () => {
    const metrics = makeMetrics(database.db)
    const ask = await serve(metrics)
    const attempts = async () =>
      Object.entries(await read(ask)).filter(([name]) =>
        name.startsWith('partner_deals_delivery_attempts_total'),
      )
    expect((await attempts()).map(([, value]) => value)).toEqual([0, 0, 0])
    for (const state of ['delivered', 'waiting', 'waiting', 'failed'] as const) metrics.attempt(state)
    expect(Object.fromEntries(await attempts())).toEqual({
      'partner_deals_delivery_attempts_total{result="delivered"}': 1,
      'partner_deals_delivery_attempts_total{result="retried"}': 2,
      'partner_deals_delivery_attempts_total{result="failed"}': 1,
    })
  })

  test('use the Prometheus format, at one path, for one method', async () => {
    const ask = await serve(makeMetrics(database.db))
    const answer = await ask()
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
    ])
    const text = await answer.text()
    expect(faultsOf(text)).toEqual([])
    expect(samplesOf(text)).toMatchObject({
      partner_deals_database_connections_max: 14,
      process_resident_memory_bytes: expect.any(Number),
      nodejs_eventloop_lag_p99_seconds: expect.any(Number),
    })
    expect((await ask('/metrics?name[]=up')).status).toBe(200)
    for (const [target, method] of [
      ['/', 'GET'],
      ['/metrics/', 'GET'],
      ['/metrics', 'POST'],
      ['/metrics', 'HEAD'],
      ['/healthz', 'GET'],
    ])
      expect((await ask(target, method)).status).toBe(404)
  })
})

test('count admission by kind of caller, without names', async () => {
  const limits = { ...statementLimits, atOnce: 1, perMember: 1, waitingPerMember: 1 }
  const [requests, statements] = [new Slots(limits), new Slots(limits)]
  const caller = { kind: 'partner', group: 'partner 7', member: 'token 3' } as const
  const acquire = () => requests.acquire(caller, false, { waitMaxMs: 60_000 })
  const [, waiting] = [acquire(), acquire()]
  expect(acquire).toThrow()
  const ask = await serve(makeMetrics(database.db, null, null, { requests, statements }))
  const text = await (await ask()).text()
  for (const line of ['admitted_total', 'admission_waiting', 'admission_refused_total'])
    expect(text).toContain(`partner_deals_${line}{work="requests",caller="partner"} 1`)
  expect(text).not.toContain('partner 7')
  waiting.ready?.catch(() => {})
  waiting.withdraw()
})

test('a port in use is reported with its variable', async () => {
  const metrics = makeMetrics(database.db)
  const { port, close } = await listenLocally(createServer(metrics.answer))
  closing.push(close)
  const starting = serveMetrics({ metrics, config: { metricsPort: port, hosts: ['127.0.0.1'] } } as Services)
  await expect(starting).rejects.toThrow(
    new ConfigurationError(`METRICS_PORT: ${port} is used by another program`),
  )
})

describe('the metrics from the database', () => {
  test('report the delivery lag, excluding disabled endpoints', async () => {
    const { db } = database
    const ask = await serve(makeMetrics(db))
    const backlog = async () => {
      const samples = await read(ask)
      return [
        'deliveries_waiting',
        'deliveries_oldest_due_age_seconds',
        'endpoints_longest_failing_seconds',
      ].map((name) => samples[`partner_deals_${name}`]!)
    }
    expect(await backlog()).toEqual([0, 0, 0])
    const receiver = await startReceiver(() => 500)
    const partnerId = await makeReceivingPartner(db, { create: receiver.url, update: receiver.url })
    await changeDeals(db, partnerId, [1n, 2n])
    await db.$client`update deliveries set due_at = now() - interval '90 seconds' where deal_id = 1`
    await db.$client`update deliveries set due_at = now() + interval '90 seconds' where deal_id = 2`
    await db.$client`update endpoints set failing_since = now() - interval '1 hour' where kind = 'create'`
    const [waiting, dueS, failingS] = await backlog()
    expect(waiting).toBe(2)
    expect(Math.floor(dueS! / 30)).toBe(3)
    expect(Math.floor(failingS! / 600)).toBe(6)
    await db.$client`update deliveries set due_at = now() + interval '1 hour'`
    expect((await backlog())[1]).toBe(0)
    await db.$client`update endpoints set switched_off_at = now(), switched_off_because = 'failing'`
    expect(await backlog()).toEqual([0, 0, 0])
    await receiver.close()
  })

  test('count database connections in use', async () => {
    const ask = await serve(makeMetrics(database.db))
    const { partner_deals_database_connections_busy: before } = await read(ask)
    const { partner_deals_database_connections_busy: busy, partner_deals_database_connections_open: open } =
      await database.db.$client.begin(() => read(ask))
    expect(busy).toBeGreaterThan(before!)
    expect(open).toBeGreaterThanOrEqual(busy! + 1)
  })

  test('are absent while the database is down, without affecting others', async () => {
    const ask = await serve(makeMetrics(openDatabase('postgres://nobody@127.0.0.1:1/nothing')))
    const samples = await read(ask)
    expect(samples).toMatchObject({ partner_deals_database_up: 0, partner_deals_http_requests_underway: 0 })
    expect(
      Object.keys(samples).filter((name) =>
        /deliveries|endpoints|connections_(?:busy|open)|answer/.test(name),
      ),
    ).toEqual([])
  })

  test('are absent while the database does not respond, and present again afterwards', async () => {
    const db = openDatabase(database.url, 1)
    const ask = await serve(makeMetrics(db))
    expect(await read(ask)).toMatchObject({ partner_deals_database_up: 1 })
    await db.$client.begin(async () => {
      expect(await read(ask)).toMatchObject({ partner_deals_database_up: 0 })
      expect(await read(ask)).not.toHaveProperty('partner_deals_deliveries_waiting')
    })
    await expect
      .poll(() => read(ask))
      .toMatchObject({
        partner_deals_database_up: 1,
        partner_deals_deliveries_waiting: expect.any(Number),
        partner_deals_database_answer_seconds: expect.any(Number),
      })
    await db.$client.end()
  })
})
