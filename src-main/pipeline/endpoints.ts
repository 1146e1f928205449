// The gateway's endpoints that reach an upstream: what routing and metering need of their requests, whatever the dialect, and
// how a request is made ready for the provider that was chosen.

import type { ModelKind, Provider, Target } from '#core/entities.ts'
import { estimateInputTokens, worstCaseInputTokens, type InputSize } from '#core/estimate.ts'
import { quirksOf } from '#core/quirks.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import type { AnswerReader } from '#dialect/answer.ts'
import type { ClientDialect, ClientRequest, ProviderError } from '#dialect/dialect.ts'
import { AnswerCallIds } from '#dialect/answer-call-ids.ts'
import { CLIENT_DIALECTS, PROVIDER_DIALECTS, RESPONSES_BODY_AT_CHAT, type ClientFormat } from '#dialect/dialects.ts'
import { EmbeddingAnswerReader } from '#dialect/embeddings/read-answer.ts'
import { editEmbeddingRequest, readEmbeddingRequest } from '#dialect/embeddings/read-request.ts'
import { repairTurns } from '#dialect/repair.ts'
import { isRecord, textOf, type BodyText } from '#dialect/request-body.ts'
import { AnswerRestorer, ToolNames, withWireNames } from '#dialect/tools.ts'
import { TranslatedStream, TranslatedWhole } from '#dialect/translated-answer.ts'
import type { Conversation } from '#dialect/turn.ts'
import { ConversationBounds, EmbeddingBounds, type InputBounds } from '#pipeline/input-bounds.ts'

export type EndpointName = ClientFormat | 'embeddings'

/** A request as the journey sees it. */
export type EndpointRequest = {
  readonly endpoint: EndpointName
  readonly model: string
  readonly isStream: boolean
  /** The kind of model that can serve it. */
  readonly kind: ModelKind
  readonly likelyInputTokens: number
  readonly worstInputTokens: number
  /**
   * The most input tokens that a provider can count. `contextWindow` is the model's, 0 where nobody knows it; `upstreamModels` are the
   * names of those that may serve the call, because one of them counts images as nobody else does.
   */
  readonly mostInputTokens: InputBounds['most']
  /** A closer bound than that, made with our own tokenizer. */
  readonly closerInputTokens: InputBounds['closer']
  /** What makes those bounds wide because it is not in the request, in words; empty for ordinary requests. */
  readonly references: readonly string[]
  /** How many answers are generated; 0 where nothing is. */
  readonly choices: number
  readonly outputCap: number | undefined
  /** The name of the member that caps the output, as the client knows it. */
  readonly outputCapName: string
  /** What requests of one conversation have in common, so that they go to the same target; undefined where nothing says so. */
  readonly affinity: () => string | undefined
  /** The request in no dialect's words, for counting its tokens; undefined where it has none or cannot be read. */
  readonly conversation: () => Conversation | undefined
  /** Makes the request ready for one target, or refuses what its provider cannot be asked. */
  readonly prepare: (destination: Destination) => Prepared | Refusal
}

export type Destination = {
  readonly provider: Provider
  readonly target: Target
  readonly exchangeId: string
  readonly nowMs: number
}

export type Prepared = {
  /** True where the client's bytes are passed on, and the provider's back. */
  readonly isPassed: boolean
  /** Below the provider's base URL. */
  readonly path: string
  /** What could not be carried to the provider, for the `x-farebox-dropped` header. */
  readonly dropped: readonly string[]
  readonly body: (outputCap: number | undefined) => string
  readonly newReader: () => AnswerReader
  readonly readError: ((body: unknown) => ProviderError | undefined) | undefined
}

/** Reads a body, or refuses it with the member that is wrong. */
export function readRequest(endpoint: EndpointName, text: BodyText, byteLength: number): EndpointRequest | Refusal {
  if (endpoint === 'embeddings') return readEmbeddings(text, byteLength)
  const client = CLIENT_DIALECTS[endpoint]
  const request = client.readRequest(text, byteLength)
  if (!isRefusal(request)) return readChat(endpoint, client, request)
  // Only a body that is no chat completion at all is tried as something else, so that nobody else's error changes.
  if (endpoint !== 'chat' || request.param !== 'messages' || !textOf(text).includes('"input"')) return request
  const other = RESPONSES_BODY_AT_CHAT.readRequest(text, byteLength)
  return isRefusal(other) ? request : readChat(endpoint, RESPONSES_BODY_AT_CHAT, other)
}

function readChat(endpoint: ClientFormat, client: ClientDialect, request: ClientRequest): EndpointRequest {
  const tokens = inputTokens(request.body.size)
  const bounds = new ConversationBounds(request.body)
  return {
    endpoint,
    model: request.model,
    isStream: request.isStream,
    kind: 'chat',
    ...tokens,
    mostInputTokens: (contextWindow, names) => bounds.most(contextWindow, names),
    closerInputTokens: (count, contextWindow, names) => bounds.closer(count, contextWindow, names),
    get references() {
      return bounds.references
    },
    choices: request.choices,
    outputCap: request.outputCap,
    outputCapName: request.outputCapName,
    affinity: () => affinityOf(request.body.value),
    conversation: () => {
      const conversation = client.readConversation(request)
      return isRefusal(conversation) ? undefined : conversation
    },
    prepare: (destination) => {
      if (client.passesTo.includes(destination.provider.dialect)) return pass(client, request, destination)
      return translate({ client, request, likelyInputTokens: tokens.likelyInputTokens }, destination)
    },
  }
}

/**
 * Clients name their session in different members: Codex in the first one, Claude Code in `metadata`. What a provider cached, and
 * reasoning that it sealed, is of use only where it came from.
 */
function affinityOf(body: Readonly<Record<string, unknown>>): string | undefined {
  const { metadata } = body
  const names = [body['prompt_cache_key'], isRecord(metadata) ? metadata['user_id'] : undefined, body['user']]
  return names.find((name): name is string => typeof name === 'string' && name !== '')
}

function pass(client: ClientDialect, request: ClientRequest, { provider, target }: Destination): Prepared | Refusal {
  const quirks = quirksOf(provider)
  const refusal = client.checkPass?.(request, quirks)
  if (refusal !== undefined) return refusal
  const mended = client.mendPass(request, { upstreamModel: target.upstreamModel, quirks })
  return {
    isPassed: true,
    path: client.path,
    dropped: mended.dropped,
    body: (outputCap) =>
      client.editRequest(request, {
        upstreamModel: target.upstreamModel,
        outputCap,
        outputCapField: provider.outputCapField,
        quirks,
        mended,
      }),
    newReader: () => client.newPassReader(request),
    readError: undefined,
  }
}

type Translatable = {
  readonly client: ClientDialect
  readonly request: ClientRequest
  readonly likelyInputTokens: number
}

function translate(
  { client, request, likelyInputTokens }: Translatable,
  { provider, target, exchangeId, nowMs }: Destination,
): Prepared | Refusal {
  const read = client.readConversation(request)
  if (isRefusal(read)) return read
  const names = new ToolNames(read.tools)
  const conversation = forProvider(read, names)
  if (!hasContent(conversation)) {
    const param = 'messages' in request.body.value ? 'messages' : 'input'
    return refuse('invalid_request', `'${param}' holds nothing that can be sent. Send at least one text.`, { param })
  }
  const dialect = PROVIDER_DIALECTS[provider.dialect]
  const written = dialect.writeRequest(conversation, {
    upstreamModel: target.upstreamModel,
    isStream: request.isStream,
    outputCapField: provider.outputCapField,
    quirks: quirksOf(provider),
  })
  if (isRefusal(written)) return written
  return {
    isPassed: false,
    path: written.path,
    dropped: [...new Set([...conversation.dropped, ...written.dropped])],
    body: (outputCap) => {
      if (outputCap === undefined) throw new Error('a translated request has no output cap')
      return written.body(outputCap)
    },
    readError: dialect.readError,
    newReader: () => {
      const context = { request, exchangeId, createdAtS: Math.floor(nowMs / 1000), likelyInputTokens }
      const { isShown, keepsSeal = false } = conversation.reasoning
      const callIds = new AnswerCallIds(exchangeId, callIdsIn(read))
      const restorer = new AnswerRestorer(names, { showsReasoning: isShown, keepsSeals: keepsSeal, callIds })
      const translation = { client, provider: dialect, context, restorer }
      return request.isStream ? new TranslatedStream(translation) : new TranslatedWhole(translation)
    },
  }
}

/** The ids by which the client knows the calls of its conversation. */
function callIdsIn({ turns }: Conversation): readonly string[] {
  return turns.flatMap((turn) => {
    if (turn.role === 'tool') return turn.results.map(({ callId }) => callId)
    return turn.content.flatMap((part) => (part.type === 'tool-call' ? [part.id] : []))
  })
}

/** Whether anything is left to be sent: empty texts are not, and reasoning alone says nothing. */
function hasContent({ turns }: Conversation): boolean {
  return turns.some((turn) => turn.role !== 'assistant' || turn.content.some((part) => part.type !== 'reasoning'))
}

/** The conversation in the order that every provider accepts, with names that it takes. */
export function forProvider(conversation: Conversation, names: ToolNames): Conversation {
  return withWireNames({ ...conversation, turns: repairTurns(conversation.turns) }, names)
}

/** Dialects that have the embeddings endpoint of chat completions. */
const EMBEDDING_DIALECTS = ['chat-completions', 'demo', 'responses']

function readEmbeddings(text: BodyText, byteLength: number): EndpointRequest | Refusal {
  const request = readEmbeddingRequest(text, byteLength)
  if (isRefusal(request)) return request
  const { tokenCount } = request
  const bounds = new EmbeddingBounds(request)
  return {
    endpoint: 'embeddings',
    model: request.model,
    isStream: false,
    kind: 'embedding',
    ...(tokenCount === undefined
      ? inputTokens(request.body.size)
      : { likelyInputTokens: tokenCount, worstInputTokens: tokenCount }),
    mostInputTokens: (contextWindow) => bounds.most(contextWindow),
    closerInputTokens: (count, contextWindow) => bounds.closer(count, contextWindow),
    get references() {
      return bounds.references
    },
    choices: 0,
    outputCap: undefined,
    outputCapName: 'max_tokens',
    affinity: () => undefined,
    conversation: () => undefined,
    prepare: ({ provider, target }) => {
      if (!EMBEDDING_DIALECTS.includes(provider.dialect)) {
        const message = `The provider of '${request.model}' speaks the ${provider.dialect} dialect, which has no embeddings here.`
        return refuse('invalid_request', message, { param: 'model' })
      }
      return {
        isPassed: true,
        path: '/embeddings',
        dropped: [],
        body: () => editEmbeddingRequest(request, target.upstreamModel),
        newReader: () => new EmbeddingAnswerReader(request.format),
        readError: undefined,
      }
    },
  }
}

function inputTokens(size: InputSize): Pick<EndpointRequest, 'likelyInputTokens' | 'worstInputTokens'> {
  return { likelyInputTokens: estimateInputTokens(size), worstInputTokens: worstCaseInputTokens(size) }
}
