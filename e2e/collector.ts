import { type IncomingHttpHeaders, createServer } from 'node:http'
import { listenLocally } from './loopback.ts'

/** A span as received by a collector. */
export interface CollectedSpan {
  name: string
  traceId: string
  spanId: string
  /** Empty if there is no parent. */
  parentSpanId: string
  /** 1 is internal, 2 is server, 3 is client. */
  kind: number
  /** 2 if the operation failed. */
  status: number
  attributes: Record<string, unknown>
  durationMs: number
  /** Attributes of the process that sent the span. */
  resource: Record<string, unknown>
}

/** A trace collector that accepts OTLP over HTTP as JSON. */
export interface Collector {
  /** URL without a trailing slash. */
  url: string
  /** Received spans in order of arrival. */
  spans: CollectedSpan[]
  /** Returns the raw requests. */
  text(): string
  headers: IncomingHttpHeaders[]
  close(): Promise<void>
}

type KeyValue = { key: string; value: Record<string, unknown> }

const valuesOf = (attributes: KeyValue[] = []) =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      'intValue' in value ? Number(value.intValue) : Object.values(value)[0],
    ]),
  )

/** Starts a collector on loopback. If `silent` is true, the collector never responds. */
export async function startCollector({ silent = false } = {}): Promise<Collector> {
  const bodies: string[] = []
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await Array.fromAsync(request)).toString()
    bodies.push(body)
    collector.headers.push(request.headers)
    if (
      request.method !== 'POST' ||
      request.url !== '/v1/traces' ||
      request.headers['content-type'] !== 'application/json'
    )
      return void response.writeHead(404).end()
    for (const { resource, scopeSpans } of JSON.parse(body).resourceSpans) {
      for (const span of scopeSpans.flatMap((scope: { spans: unknown[] }) => scope.spans)) {
        collector.spans.push({
          ...span,
          parentSpanId: span.parentSpanId ?? '',
          status: span.status?.code ?? 0,
          attributes: valuesOf(span.attributes),
          resource: valuesOf(resource.attributes),
          durationMs: Number(BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano)) / 1e6,
        })
      }
    }
    if (!silent) response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}')
  })
  const { url, close } = await listenLocally(server)
  const collector: Collector = {
    url,
    spans: [],
    headers: [],
    text: () => bodies.join('\n'),
    close,
  }
  return collector
}
