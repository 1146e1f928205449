// Sends journeys and measurements to a collector with the packages of OpenTelemetry. Loaded only where an endpoint is named: no other start
// needs them.

import { context, SpanKind, SpanStatusCode, trace, type Histogram, type Tracer } from '@opentelemetry/api'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import type { UsageRecord } from '#ledger/rows.ts'
import { inputTokens, journeyOf, measuredBy, type Journey } from '#server/watch/journeys.ts'

export type OtlpOptions = {
  /** Of the collector; `v1/traces` and `v1/metrics` come after it. */
  readonly endpoint: string
  readonly version: string
  readonly providerOf: Parameters<typeof journeyOf>[1]
  /** Told each time that an export ended, with whether it arrived. */
  readonly onExport: (hasArrived: boolean) => void
}

const EXPORT_LIMIT_MS = 5000
const METRICS_EVERY_MS = 30_000
/** As the conventions advise for tokens and for seconds. */
const TOKEN_BOUNDS = [
  1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864,
]
const SECOND_BOUNDS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92]

export class Otlp {
  readonly #options: OtlpOptions
  readonly #traces: TracerProvider
  readonly #metrics: MeterProvider
  readonly #tracer: Tracer
  readonly #tokens: Histogram
  readonly #duration: Histogram
  readonly #firstToken: Histogram

  constructor(options: OtlpOptions) {
    this.#options = options
    const { version } = options
    const resource = resourceFromAttributes({ 'service.name': 'farebox', 'service.version': version })
    const at = (path: string) => ({ url: addressOf(options.endpoint, path), timeoutMillis: EXPORT_LIMIT_MS })
    const exporter = this.#watched(new OTLPTraceExporter(at('v1/traces')))
    this.#traces = new TracerProvider({ resource, spanProcessors: [new BatchSpanProcessor({ exporter })] })
    const reader = new PeriodicExportingMetricReader({
      exporter: this.#watched(new OTLPMetricExporter(at('v1/metrics'))),
      exportIntervalMillis: METRICS_EVERY_MS,
      exportTimeoutMillis: EXPORT_LIMIT_MS,
    })
    this.#metrics = new MeterProvider({ resource, readers: [reader] })
    this.#tracer = this.#traces.getTracer('farebox', version)
    const meter = this.#metrics.getMeter('farebox', version)
    const histogram = (name: string, unit: string, explicitBucketBoundaries: number[]) =>
      meter.createHistogram(name, { unit, advice: { explicitBucketBoundaries } })
    this.#tokens = histogram('gen_ai.client.token.usage', '{token}', TOKEN_BOUNDS)
    this.#duration = histogram('gen_ai.server.request.duration', 's', SECOND_BOUNDS)
    this.#firstToken = histogram('gen_ai.server.time_to_first_token', 's', SECOND_BOUNDS)
  }

  recorded(records: readonly UsageRecord[]): void {
    for (const record of records) {
      this.#trace(journeyOf(record, this.#options.providerOf))
      this.#measure(record)
    }
  }

  /** Sends what is left. */
  async close(): Promise<void> {
    await Promise.allSettled([this.#traces.shutdown(), this.#metrics.shutdown()])
  }

  #trace(journey: Journey): void {
    const { name, startMs, endMs, attributes, attempts, error } = journey
    const span = this.#tracer.startSpan(name, { kind: SpanKind.SERVER, startTime: startMs, attributes, root: true })
    const within = trace.setSpan(context.active(), span)
    for (const attempt of attempts) {
      const options = { kind: SpanKind.CLIENT, startTime: attempt.startMs, attributes: attempt.attributes }
      const child = this.#tracer.startSpan(attempt.name, options, within)
      if (attempt.error !== undefined) child.setStatus({ code: SpanStatusCode.ERROR })
      child.end(attempt.endMs)
    }
    if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR })
    span.end(endMs)
  }

  #measure(record: UsageRecord): void {
    const by = measuredBy(record, this.#options.providerOf)
    const { firstByteMs, durationMs, usageSource, outputTokens } = record
    this.#duration.record(durationMs / 1000, by)
    if (firstByteMs !== undefined) this.#firstToken.record(firstByteMs / 1000, by)
    if (usageSource === 'none') return
    this.#tokens.record(inputTokens(record), { ...by, 'gen_ai.token.type': 'input' })
    this.#tokens.record(outputTokens ?? 0, { ...by, 'gen_ai.token.type': 'output' })
  }

  /** The same exporter, whose results are told. */
  #watched<Items, Exporter extends { export(items: Items, done: (result: { code: number }) => void): void }>(
    exporter: Exporter,
  ): Exporter {
    const send = exporter.export.bind(exporter)
    exporter.export = (items, done) =>
      send(items, (result) => {
        this.#options.onExport(result.code === 0)
        done(result)
      })
    return exporter
  }
}

function addressOf(endpoint: string, path: string): string {
  return new URL(path, endpoint.endsWith('/') ? endpoint : `${endpoint}/`).href
}
