// What is told of a call to a collector of OpenTelemetry: names of the catalogue, numbers and times, and nothing of what was said.
//
// Names are those of the semantic conventions for generative AI (opentelemetry.io/docs/specs/semconv/gen-ai, as @opentelemetry/
// semantic-conventions 1.45 has them). `farebox.…` are ours.

import type { Provider } from '#core/entities.ts'
import { operationOf } from '#dialect/dialects.ts'
import type { UsageRecord } from '#ledger/rows.ts'

type Attributes = Readonly<Record<string, string | number | boolean>>

type Stage = {
  readonly name: string
  readonly startMs: number
  readonly endMs: number
  readonly attributes: Attributes
  /** What kind of failure it was; undefined for none. */
  readonly error: string | undefined
}

/** A call, and each attempt at a provider within it. */
export type Journey = Stage & { readonly attempts: readonly Stage[] }

type AttemptNote = {
  readonly provider: string
  readonly model: string
  readonly outcome: string
  readonly status: number | null
  readonly reason: string | null
  readonly duration_ms: number
}

type ProviderOf = (idOrName: string) => Pick<Provider, 'name' | 'preset'> | undefined

/** The conventions' names of providers, by the ids of our presets. */
const PROVIDERS: Readonly<Record<string, string>> = {
  openai: 'openai',
  anthropic: 'anthropic',
  gemini: 'gcp.gemini',
  'azure-openai': 'azure.ai.openai',
  bedrock: 'aws.bedrock',
  'vertex-gemini': 'gcp.vertex_ai',
  'vertex-claude': 'gcp.vertex_ai',
  groq: 'groq',
  deepseek: 'deepseek',
  mistral: 'mistral_ai',
  xai: 'x_ai',
}
const MICRO = 1_000_000

export function journeyOf(record: UsageRecord, providerOf: ProviderOf): Journey {
  const { createdAtMs: startMs, durationMs, modelId, outcome, status } = record
  const endMs = startMs + durationMs
  const operation = operationOf(record.endpoint)
  return {
    name: `${operation} ${modelId}`,
    startMs,
    endMs,
    error: outcome === 'answered' ? undefined : outcome,
    attributes: { ...callAttributes(record, providerOf), 'http.response.status_code': status },
    attempts: attemptsOf(record, { startMs, endMs, operation, providerOf }),
  }
}

/** What the measurements of a call are told apart by: few enough values for a table of them. */
export function measuredBy(record: UsageRecord, providerOf: ProviderOf): Attributes {
  const { providerId, upstreamModel, modelId, outcome } = record
  return defined({
    'gen_ai.operation.name': operationOf(record.endpoint),
    'gen_ai.provider.name': nameOf(providerId === undefined ? undefined : providerOf(providerId)),
    'gen_ai.request.model': modelId,
    'gen_ai.response.model': upstreamModel,
    'error.type': outcome === 'answered' ? undefined : outcome,
  })
}

/** The conventions count cached tokens among the input. */
export function inputTokens(record: UsageRecord): number {
  return (record.inputTokens ?? 0) + (record.cacheReadTokens ?? 0) + (record.cacheWriteTokens ?? 0)
}

function callAttributes(record: UsageRecord, providerOf: ProviderOf): Attributes {
  const { usageSource, firstByteMs, isStream, chargeMicro } = record
  const isCounted = usageSource !== 'none'
  return defined({
    ...measuredBy(record, providerOf),
    'gen_ai.request.stream': isStream,
    'gen_ai.response.time_to_first_chunk': firstByteMs === undefined ? undefined : firstByteMs / 1000,
    'gen_ai.usage.input_tokens': isCounted ? inputTokens(record) : undefined,
    'gen_ai.usage.output_tokens': isCounted ? (record.outputTokens ?? 0) : undefined,
    'gen_ai.usage.cache_read.input_tokens': record.cacheReadTokens,
    'gen_ai.usage.cache_creation.input_tokens': record.cacheWriteTokens,
    'gen_ai.usage.reasoning.output_tokens': record.reasoningTokens,
    'farebox.request.id': record.id,
    'farebox.key.id': record.keyId,
    'farebox.outcome': record.outcome,
    'farebox.usage.source': usageSource,
    'farebox.charge.credits': chargeMicro / MICRO,
  })
}

type Frame = {
  readonly startMs: number
  readonly endMs: number
  readonly operation: string
  readonly providerOf: ProviderOf
}

/** The records say how long attempts took. The last one ends with the call, the others follow each other from its beginning. */
function attemptsOf(record: UsageRecord, { startMs, endMs, operation, providerOf }: Frame): Stage[] {
  // This program wrote it.
  const notes = JSON.parse(record.attempts ?? '[]') as readonly AttemptNote[]
  let nextMs = startMs
  return notes.map((note, index) => {
    const isLast = index === notes.length - 1
    const fromMs = isLast ? Math.max(nextMs, endMs - note.duration_ms) : nextMs
    nextMs = Math.min(endMs, fromMs + note.duration_ms)
    return {
      name: `${operation} ${note.model}`,
      startMs: fromMs,
      endMs: isLast ? endMs : nextMs,
      error: note.reason ?? undefined,
      attributes: defined({
        'gen_ai.operation.name': operation,
        'gen_ai.provider.name': nameOf(providerOf(note.provider)),
        'gen_ai.request.model': note.model,
        'http.response.status_code': note.status ?? undefined,
        'error.type': note.reason ?? undefined,
        'farebox.attempt.number': index + 1,
        'farebox.outcome': note.outcome,
      }),
    }
  })
}

function nameOf(provider: ReturnType<ProviderOf>): string | undefined {
  return provider === undefined ? undefined : (PROVIDERS[provider.preset ?? ''] ?? provider.name)
}

function defined(values: Readonly<Record<string, string | number | boolean | undefined>>): Attributes {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}
