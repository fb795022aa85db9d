import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type Attributes,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  defaultTextMapGetter,
  trace,
} from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, NodeTracerProvider, type SpanExporter } from '@opentelemetry/sdk-trace-node'
import type { Logger } from 'pino'
import { withTimeout } from '../admission/scheduling.ts'
import { errorName, toApiError } from '../errors.ts'
import { type ImportCounts, type ImportReport, noCounts } from '../records/import-deals.ts'
import type { Recorded } from '../webhooks/queue-store.ts'

/** Sends the spans of a process to a collector. */
export interface Traces {
  /** Starts the span of a request, as a child of the span in the client's `traceparent` header. */
  begin(method: string, traceparent: string | undefined): RequestSpan
  /** Runs work, such as a procedure call, in a child of the current span. */
  call<T>(operation: string, work: () => Promise<T>): Promise<T>
  /** Records the span of a delivery attempt. */
  attempt(result: Recorded): void
  /** Runs an import in a span with a child span per batch. */
  import(report: ImportReport, run: (report: ImportReport) => Promise<ImportCounts>): Promise<ImportCounts>
  /** Sends the remaining spans, for at most a second. */
  stop(): Promise<void>
}

export interface RequestSpan {
  /** Runs the work in this span. */
  within<T>(work: () => T): T
  /** `status` is null if the client disconnected before the response. */
  end(operation: string, status: number | null): void
}

// During an export, up to 2,048 spans are queued.
const exportTimeoutMs = 3000
const flushMs = 1000

// Parses the `traceparent` header (W3C Trace Context, section 3.2).
const propagator = new W3CTraceContextPropagator()

const outcomes = [
  'created',
  'updated',
  'unchanged',
  'rejected',
  'unreadable',
] as const satisfies (keyof ImportCounts)[]

/**
 * Creates traces that send spans to `endpoint` with OTLP over HTTP. The OpenTelemetry packages read other
 * OTEL_ variables themselves. Spans contain only operation names, statuses, counts, and hosts of webhook
 * URLs. Nothing is registered globally, because Next's spans contain full URLs and error messages.
 */
export function makeTraces(endpoint: string, log: Logger): Traces {
  const provider = makeProvider(endpoint, log)
  const tracer = provider.getTracer('partner-deals')
  const current = new AsyncLocalStorage<Span>()

  /** Starts a child of the current span. */
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
      span.setAttribute('error.type', toApiError(error).code).setStatus({ code: SpanStatusCode.ERROR })
      throw error
    } finally {
      span.end()
    }
  }

  return {
    begin(method, traceparent) {
      const attributes = { 'http.request.method': method }
      const clientContext = propagator.extract(ROOT_CONTEXT, { traceparent }, defaultTextMapGetter)
      const span = tracer.startSpan(method, { kind: SpanKind.SERVER, attributes }, clientContext)
      return {
        within: (work) => current.run(span, work),
        end: (operation, status) => endRequest(span, method, operation, status),
      }
    },
    call,
    attempt(result) {
      const span = startSpan('delivery', SpanKind.CLIENT, attemptAttributes(result), result.startedAt)
      if (result.status !== null) span.setAttribute('http.response.status_code', result.status)
      if (result.state !== 'delivered') span.setStatus({ code: SpanStatusCode.ERROR })
      span.end(result.startedAt.getTime() + result.durationMs)
    },
    import: (report, run) =>
      call('import', () =>
        run(
          reportingBatches(report, (attributes, startedAt) =>
            startSpan('import batch', SpanKind.INTERNAL, attributes, startedAt).end(),
          ),
        ),
      ),
    async stop() {
      await withTimeout(provider.shutdown(), flushMs, () => undefined).catch(() => {})
    },
  }
}

function makeProvider(endpoint: string, log: Logger): NodeTracerProvider {
  const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces`, timeoutMillis: exportTimeoutMs })
  return new NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'partner-deals' }).merge(
      detectResources({ detectors: [envDetector] }),
    ),
    spanProcessors: [new BatchSpanProcessor(logRejections(exporter, log))],
  })
}

function endRequest(span: Span, method: string, operation: string, status: number | null): void {
  span.updateName(`${method} ${operation}`).setAttribute('partner_deals.operation', operation)
  if (status !== null) span.setAttribute('http.response.status_code', status)
  // A client error is not a failure of the server.
  if (status !== null && status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
  span.end()
}

function attemptAttributes({ id, state, url }: Recorded): Attributes {
  return {
    'http.request.method': 'POST',
    'server.address': new URL(url).hostname,
    'partner_deals.delivery': id,
    'partner_deals.state': state,
  }
}

/** Returns an import report that also calls `batch` for each batch. */
function reportingBatches(
  report: ImportReport,
  batch: (attributes: Attributes, startedAt: Date) => void,
): ImportReport {
  let startedAt = new Date()
  let before = noCounts()
  return {
    ...report,
    progress(counts) {
      report.progress(counts)
      const attributes = Object.fromEntries(
        outcomes.map((outcome) => [`partner_deals.${outcome}`, counts[outcome] - before[outcome]]),
      )
      batch(attributes, startedAt)
      startedAt = new Date()
      before = { ...counts }
    },
  }
}

/** Wraps the exporter to log when the collector begins to reject spans. */
function logRejections(exporter: OTLPTraceExporter, log: Logger): SpanExporter {
  let failing = false
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const failed = result.code !== 0
        if (failed && !failing) log.warn({ error: errorName(result.error) }, 'trace export failed')
        failing = failed
        done(result)
      })
    },
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  }
}
