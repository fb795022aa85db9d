import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Attributes,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, NodeTracerProvider, type SpanExporter } from '@opentelemetry/sdk-trace-node'
import type { Logger } from 'pino'
import type { ImportCounts, ImportReport } from '../deals/import/import-deals.ts'
import { toRefusal } from '../protocol/errors.ts'
import type { Recorded } from '../webhooks/courier/queue-store.ts'

/** Tells a collector how long what a process does takes, and what belongs to what. */
export interface Traces {
  /** Begins the span of a request, below that of the client which its `traceparent` header names. */
  begin(method: string, traceparent: string | undefined): RequestSpan
  /** Does the work, a call of a procedure say, in a span of its own below the one that is under way. */
  call<T>(operation: string, work: () => Promise<T>): Promise<T>
  /** The span of an attempt that was made. */
  attempt(result: Recorded): void
  /** Runs an import, which tells of its progress after each batch, in a span with one below it for each batch. */
  import(report: ImportReport, run: (report: ImportReport) => Promise<ImportCounts>): Promise<ImportCounts>
  /** Sends what is left, within a second. */
  stop(): Promise<void>
}

export interface RequestSpan {
  /** Does the work below this span. */
  within<T>(work: () => T): T
  /** `status` is null when the client did not wait for an answer. */
  end(operation: string, status: number | null): void
}

// Within it a collector must take what it is sent; what comes meanwhile is kept, up to 2,048 spans.
const exportTimeoutMs = 3000
const flushMs = 1000

const outcomes = ['created', 'updated', 'unchanged', 'rejected'] as const satisfies (keyof ImportCounts)[]

/**
 * Starts to send spans to the collector at `endpoint`, by OTLP over HTTP; the other standard variables (OTEL_SERVICE_NAME,
 * OTEL_RESOURCE_ATTRIBUTES, OTEL_EXPORTER_OTLP_HEADERS, OTEL_TRACES_SAMPLER, OTEL_BSP_…) are read by the packages themselves.
 * No span says more than names of operations, status, counts, and hosts of webhook addresses. That is why nothing is
 * registered for all: Next's own spans carry whole addresses and messages of errors.
 * @see https://opentelemetry.io/docs/specs/otel/protocol/exporter/
 */
export function makeTraces(endpoint: string, log: Logger): Traces {
  const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces`, timeoutMillis: exportTimeoutMs })
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'partner-deals' }).merge(
      detectResources({ detectors: [envDetector] }),
    ),
    spanProcessors: [new BatchSpanProcessor(telling(exporter, log))],
  })
  const tracer = provider.getTracer('partner-deals')
  const current = new AsyncLocalStorage<Span>()

  function startSpan(name: string, kind: SpanKind, attributes: Attributes, startTime?: Date): Span {
    const parent = current.getStore()
    return tracer.startSpan(
      name,
      { kind, attributes, ...(startTime === undefined ? {} : { startTime }) },
      parent === undefined ? ROOT_CONTEXT : trace.setSpan(ROOT_CONTEXT, parent),
    )
  }

  async function call<T>(operation: string, work: () => Promise<T>): Promise<T> {
    const span = startSpan(operation, SpanKind.INTERNAL, { 'partner_deals.operation': operation })
    try {
      return await current.run(span, work)
    } catch (error) {
      span.setAttribute('error.type', toRefusal(error).code).setStatus({ code: SpanStatusCode.ERROR })
      throw error
    } finally {
      span.end()
    }
  }

  return {
    begin(method, traceparent) {
      const client = readTraceparent(traceparent)
      const context = client === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, client)
      const span = tracer.startSpan(
        method,
        { kind: SpanKind.SERVER, attributes: { 'http.request.method': method } },
        context,
      )
      return {
        within: (work) => current.run(span, work),
        end(operation, status) {
          span.updateName(`${method} ${operation}`).setAttribute('partner_deals.operation', operation)
          if (status !== null) span.setAttribute('http.response.status_code', status)
          // What the client did wrong is no failure of a server's span (semantic conventions for HTTP spans).
          if (status !== null && status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
          span.end()
        },
      }
    },
    call,
    attempt({ id, state, startedAt, durationMs, url, status }) {
      const attributes = {
        'http.request.method': 'POST',
        'server.address': new URL(url).hostname,
        'partner_deals.delivery': id,
        'partner_deals.state': state,
      }
      const span = startSpan('delivery', SpanKind.CLIENT, attributes, startedAt)
      if (status !== null) span.setAttribute('http.response.status_code', status)
      if (state !== 'delivered') span.setStatus({ code: SpanStatusCode.ERROR })
      span.end(startedAt.getTime() + durationMs)
    },
    import(report, run) {
      let startedAt = new Date()
      let before: ImportCounts = { created: 0, updated: 0, unchanged: 0, rejected: 0 }
      return call('import', () =>
        run({
          ...report,
          progress(counts) {
            report.progress(counts)
            const attributes = Object.fromEntries(
              outcomes.map((outcome) => [`partner_deals.${outcome}`, counts[outcome] - before[outcome]]),
            )
            startSpan('import batch', SpanKind.INTERNAL, attributes, startedAt).end()
            startedAt = new Date()
            before = { ...counts }
          },
        }),
      )
    },
    async stop() {
      await Promise.race([provider.shutdown().catch(() => {}), sleep(flushMs, undefined, { ref: false })])
    },
  }
}

/** Returns the exporter, saying in the log when the collector begins to refuse. */
function telling(exporter: OTLPTraceExporter, log: Logger): SpanExporter {
  let failing = false
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const failed = result.code !== 0
        if (failed && !failing)
          log.warn({ error: result.error?.name }, 'the collector of traces does not take them')
        failing = failed
        done(result)
      })
    },
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  }
}

/**
 * Returns the span that a `traceparent` header names, or null when it is none (W3C Trace Context, section
 * 3.2).
 */
export function readTraceparent(header: string | undefined): SpanContext | null {
  const match = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(?:$|-)/.exec(
    header ?? '',
  )
  // Version 00 ends here; a later one may go on.
  if (match === null || (header!.startsWith('00') && header!.length > 55)) return null
  const [, traceId, spanId, flags] = match as unknown as [string, string, string, string]
  return { traceId, spanId, traceFlags: parseInt(flags, 16) & TraceFlags.SAMPLED, isRemote: true }
}
