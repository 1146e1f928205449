// One pair of the matrix: a client's format and a provider's dialect, joined the way the gateway joins them.

import type { Provider } from '#core/entities.ts'
import { UpstreamFailure, refusalOfFailure } from '#core/failure.ts'
import type { Quirks } from '#core/quirks.ts'
import { isRefusal, type Refusal } from '#core/refusal.ts'
import type { TokenUsage } from '#core/usage.ts'
import type { WireBytes } from '#dialect/answer.ts'
import type { AskedInPath } from '#dialect/dialect.ts'
import { CLIENT_DIALECTS, type ClientFormat } from '#dialect/dialects.ts'
import type { JsonObject } from '#dialect/turn.ts'
import { readRequest, type EndpointRequest, type Prepared } from '#pipeline/endpoints.ts'
import { testProvider } from '../support/provider.ts'

export const CLIENTS = ['chat', 'messages', 'responses', 'gemini'] as const satisfies readonly ClientFormat[]
export const PROVIDERS = ['chat-completions', 'messages', 'responses', 'gemini', 'bedrock-converse'] as const
export type ProviderName = (typeof PROVIDERS)[number]

export type Pair = { readonly client: ClientFormat; readonly provider: ProviderName; readonly name: string }

export const PAIRS: readonly Pair[] = CLIENTS.flatMap((client) =>
  PROVIDERS.map((provider) => ({ client, provider, name: `${client}-to-${provider}` })),
)
export const isPassed = ({ client, provider }: Pair) => CLIENT_DIALECTS[client].passesTo.includes(provider)
export const TRANSLATED_PAIRS = PAIRS.filter((pair) => !isPassed(pair))
export const PASSED_PAIRS = PAIRS.filter(isPassed)

/** A model of each dialect that can do most. */
export const UPSTREAM_MODELS: Readonly<Record<ProviderName, string>> = {
  'chat-completions': 'acme-large',
  messages: 'claude-opus-4-6',
  responses: 'gpt-5.5',
  gemini: 'gemini-3-pro-preview',
  'bedrock-converse': 'anthropic.claude-opus-4-6-v1',
}

const OF_CLAUDE: readonly ProviderName[] = ['messages', 'bedrock-converse']
/** What Claude sealed is good wherever Claude runs. */
export function sharesSeals(one: ProviderName, other: ProviderName): boolean {
  return one === other || (OF_CLAUDE.includes(one) && OF_CLAUDE.includes(other))
}

const EXCHANGE_ID = '01a1fc79-d4e6-7000-857c-a4383ac1ac29'
const NOW_MS = 1_795_240_000_000
/** What a call is given where its client gave no cap, as by the model's maximum. */
export const DEFAULT_CAP = 4096

export type Variant = {
  readonly model?: string | undefined
  readonly quirks?: Partial<Quirks>
  readonly exchangeId?: string
}

function providerOf(dialect: ProviderName, quirks: Partial<Quirks>): Provider {
  return testProvider({
    id: '01a1fc79-0000-7000-8000-000000000001',
    name: 'upstream',
    dialect,
    baseUrl: 'https://upstream.example/v1',
    quirks,
  })
}

export type Sent = { readonly prepared: Prepared; readonly body: string; readonly outputCap: number }

/** The client's body as text, made ready for the pair's provider. */
export function sendText(pair: Pair, text: string, variant: Variant = {}, asked?: AskedInPath): Sent | Refusal {
  return sendRead(pair, readRequest(pair.client, text, Buffer.byteLength(text), { asked }), variant)
}

/** A request that was read already, made ready: as where a call is tried at one provider after another, it is read once. */
export function sendRead(pair: Pair, request: EndpointRequest | Refusal, variant: Variant = {}): Sent | Refusal {
  if (isRefusal(request)) return request
  const provider = providerOf(pair.provider, variant.quirks ?? {})
  const upstreamModel = variant.model ?? UPSTREAM_MODELS[pair.provider]
  const target = { providerId: provider.id, upstreamModel, priority: 1, weight: 1 }
  const prepared = request.prepare({ provider, target, exchangeId: variant.exchangeId ?? EXCHANGE_ID, nowMs: NOW_MS })
  if (isRefusal(prepared)) return prepared
  const outputCap = request.outputCap ?? DEFAULT_CAP
  return { prepared, body: prepared.body(outputCap), outputCap }
}

export function send(pair: Pair, body: JsonObject, variant?: Variant): Sent | Refusal {
  return sendRead(pair, readBody(pair.client, body), variant)
}

export function readBody(client: ClientFormat, body: JsonObject): EndpointRequest | Refusal {
  const { inBody, asked } = asSent(client, body)
  const text = JSON.stringify(inBody)
  return readRequest(client, text, Buffer.byteLength(text), { asked })
}

/** A request as it is sent: in Gemini the path names the model, and says whether a stream is wanted. */
export function asSent(
  client: ClientFormat,
  body: JsonObject,
): { readonly inBody: JsonObject; readonly asked?: AskedInPath } {
  if (client !== 'gemini') return { inBody: body }
  const { model, stream, ...inBody } = body
  const method = stream === true ? 'streamGenerateContent' : 'generateContent'
  return { inBody, asked: { model: String(model), method, isEvents: true } }
}

/** The same where a refusal would be a mistake of the test. */
export function sendOk(pair: Pair, body: JsonObject, variant?: Variant): Sent {
  const sent = send(pair, body, variant)
  if (isRefusal(sent)) throw new Error(`${pair.name}: refused: ${sent.message}`)
  return sent
}

/** What exchanges are charged for whose provider said nothing: numbers that stand out. */
const ESTIMATED: TokenUsage = {
  inputTokens: 111,
  cacheReadTokens: undefined,
  cacheWriteTokens: undefined,
  outputTokens: 77,
  reasoningTokens: undefined,
}

export type Answered = {
  /** Everything that the client got, the event that tells of a failure included. */
  readonly text: string
  readonly failure: UpstreamFailure | undefined
  /** Whether the client had got something when it failed. */
  readonly hasBegun: boolean
}

/** The provider's answer as the client gets it, chunk by chunk. */
export function answer(prepared: Pick<Prepared, 'newReader'>, chunks: readonly Buffer[]): Answered {
  const reader = prepared.newReader()
  const out: Buffer[] = []
  const put = (bytes: WireBytes | undefined) => {
    if (bytes !== undefined) out.push(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)
  }
  const text = () => Buffer.concat(out).toString('utf8')
  try {
    for (const chunk of chunks) put(reader.push(chunk))
    reader.end()
  } catch (failure) {
    if (!(failure instanceof UpstreamFailure)) throw failure
    const hasBegun = out.length > 0
    if (hasBegun) put(reader.fail?.(refusalOfFailure(failure), EXCHANGE_ID))
    return { text: text(), failure, hasBegun }
  }
  const { usage } = reader
  put(
    reader.final({
      inputTokens: usage?.inputTokens ?? ESTIMATED.inputTokens,
      cacheReadTokens: usage?.cacheReadTokens,
      cacheWriteTokens: usage?.cacheWriteTokens,
      outputTokens: usage?.outputTokens ?? ESTIMATED.outputTokens,
      reasoningTokens: usage?.reasoningTokens,
    }),
  )
  return { text: text(), failure: undefined, hasBegun: true }
}

export function byteByByte(text: string): Buffer[] {
  const bytes = Buffer.from(text)
  return Array.from(bytes, (_, index) => bytes.subarray(index, index + 1))
}
