import pino from 'pino'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { type Collector, startCollector } from '#e2e/collector.ts'
import { ApiError } from '../errors.ts'
import { noCounts } from '../records/import-deals.ts'
import type { Recorded } from '../webhooks/queue-store.ts'
import { makeTraces } from './traces.ts'

const silent = pino({ level: 'silent' })

const collectors: Collector[] = []
afterEach(() => Promise.all(collectors.splice(0).map((collector) => collector.close())))

async function collect(options?: { silent: boolean }): Promise<Collector> {
  const collector = await startCollector(options)
  collectors.push(collector)
  return collector
}

const attempted = {
  id: 7,
  state: 'waiting',
  startedAt: new Date('2026-03-01T10:00:00.250Z'),
  durationMs: 1500,
  url: 'https://me:secret@crm.example:8443/hook?token=xyz',
  status: 503,
} as Recorded

describe('the spans of a process', () => {
  test('are nested across awaits, and do not mix concurrent requests', async () => {
    const collector = await collect()
    const traces = makeTraces(collector.url, silent)
    const ask = async (procedure: string, traceparent?: string) => {
      const span = traces.begin('GET', traceparent)
      await span.within(async () => {
        await new Promise(setImmediate)
        await traces.call(procedure, async () => new Promise(setImmediate))
      })
      span.end(procedure, 200)
    }
    await Promise.all([
      ask('deals.list', '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'),
      ask('deals.byId', '00-not-valid-01'),
    ])
    await traces.stop()
    const named = (name: string) => collector.spans.find((span) => span.name === name)!
    expect(collector.spans).toHaveLength(4)
    expect(named('GET deals.list')).toMatchObject({
      traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
      parentSpanId: '00f067aa0ba902b7',
      kind: 2,
      status: 0,
    })
    expect(named('GET deals.list').attributes).toEqual({
      'http.request.method': 'GET',
      'http.response.status_code': 200,
      'partner_deals.operation': 'deals.list',
    })
    expect(named('GET deals.byId').parentSpanId).toBe('')
    for (const procedure of ['deals.list', 'deals.byId']) {
      const { traceId, spanId } = named(`GET ${procedure}`)
      expect(named(procedure)).toMatchObject({
        traceId,
        parentSpanId: spanId,
        kind: 1,
        attributes: { 'partner_deals.operation': procedure },
        resource: { 'service.name': 'partner-deals' },
      })
    }
  })

  test('record a failure without its message', async () => {
    const collector = await collect()
    const traces = makeTraces(collector.url, silent)
    await expect(
      traces.call('deals.byId', () =>
        Promise.reject(new ApiError('NOT_FOUND', 'Deal of Ana Lopez not found')),
      ),
    ).rejects.toThrow('Ana Lopez')
    for (const status of [404, 500, null]) traces.begin('GET', undefined).end('portal', status)
    await traces.stop()
    expect(
      collector.spans.map(({ status, attributes }) => [
        status,
        attributes['error.type'] ?? attributes['http.response.status_code'],
      ]),
    ).toEqual([
      [2, 'NOT_FOUND'],
      [0, 404],
      [2, 500],
      [0, undefined],
    ])
    expect(collector.text()).not.toMatch(/Lopez/)
  })

  test('record the host, result and duration of an attempt', async () => {
    const collector = await collect()
    const traces = makeTraces(collector.url, silent)
    traces.attempt(attempted)
    traces.attempt({ ...attempted, state: 'delivered', status: 204 })
    await traces.stop()
    const [first, second] = collector.spans
    expect(first).toMatchObject({ name: 'delivery', kind: 3, parentSpanId: '', status: 2, durationMs: 1500 })
    expect(first!.attributes).toEqual({
      'http.request.method': 'POST',
      'http.response.status_code': 503,
      'server.address': 'crm.example',
      'partner_deals.delivery': 7,
      'partner_deals.state': 'waiting',
    })
    expect(second).toMatchObject({ status: 0, attributes: { 'http.response.status_code': 204 } })
    expect(second!.traceId).not.toBe(first!.traceId)
    expect(collector.text()).not.toMatch(/secret|hook|xyz/)
  })

  test('record the result of each batch of an import', async () => {
    const collector = await collect()
    const traces = makeTraces(collector.url, silent)
    const counts = noCounts()
    const report = {
      rejected: vi.fn<() => void>(),
      unknown() {},
      superseded() {},
      progress: vi.fn<() => void>(),
    }
    const done = await traces.import(report, async ({ rejected, progress }) => {
      rejected(1, { field: 'name', reason: 'is Lopez' })
      progress(Object.assign(counts, { created: 240, rejected: 10 }))
      progress(Object.assign(counts, { created: 250, updated: 40 }))
      return counts
    })
    expect(done).toBe(counts)
    expect([report.rejected.mock.calls.length, report.progress.mock.calls.length]).toEqual([1, 2])
    await traces.stop()
    const [first, second, whole] = collector.spans
    expect(first).toMatchObject({
      name: 'import batch',
      parentSpanId: whole!.spanId,
      attributes: {
        'partner_deals.created': 240,
        'partner_deals.updated': 0,
        'partner_deals.unchanged': 0,
        'partner_deals.rejected': 10,
        'partner_deals.unreadable': 0,
      },
    })
    expect(second).toMatchObject({
      name: 'import batch',
      parentSpanId: whole!.spanId,
      attributes: expect.objectContaining({ 'partner_deals.created': 10, 'partner_deals.updated': 40 }),
    })
    expect(whole).toMatchObject({ name: 'import', parentSpanId: '' })
    expect(collector.text()).not.toMatch(/Lopez/)
  })
})

describe('a trace collector', () => {
  test('that is unreachable is reported in the log', async () => {
    const collector = await startCollector()
    await collector.close()
    const log = { warn: vi.fn<() => void>() }
    const traces = makeTraces(collector.url, log as never)
    traces.attempt(attempted)
    await traces.stop()
    await expect
      .poll(() => log.warn.mock.calls, { timeout: 5000 })
      .toEqual([[expect.anything(), 'trace export failed']])
  })

  test('that does not respond does not delay shutdown', async () => {
    const collector = await collect({ silent: true })
    const log = { warn: vi.fn<() => void>() }
    const traces = makeTraces(collector.url, log as never)
    traces.attempt(attempted)
    await traces.stop()
    expect(collector.spans).toHaveLength(1)
    // The exporter has not given up yet.
    expect(log.warn).not.toHaveBeenCalled()
  })
})
