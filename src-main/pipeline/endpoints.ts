// The gateway's endpoints that reach an upstream: what routing and metering need of their requests, whatever the dialect, and
// how a request is made ready for the provider that was chosen.

import type { ModelKind, Provider, Target } from '#core/entities.ts'
import { estimateInputTokens, worstCaseInputTokens, type InputSize } from '#core/estimate.ts'
import { wireDialect } from '#core/provider-dialect.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import { accountId } from '#core/secret-pool.ts'
import type { Units } from '#core/usage.ts'
import type { AnswerReader } from '#dialect/answer.ts'
import type {
  AskedInPath,
  ClientDialect,
  ClientRequest,
  EmbeddingDialect,
  EmbeddingProvider,
  EmbeddingRequest,
  KeepAnswer,
  ProviderPath,
  ReadError,
  StaysNamed,
} from '#dialect/dialect.ts'
import { AnswerCallIds } from '#dialect/answer-call-ids.ts'
import { CLIENT_DIALECTS, dialectOf, quirksOf } from '#dialect/dialects.ts'
import { FoldedAnswer, type StreamFold } from '#dialect/folded-answer.ts'
import { repairTurns } from '#dialect/repair.ts'
import type { BodyText } from '#dialect/request-body.ts'
import { AnswerRestorer, ToolNames, withWireNames } from '#dialect/tools.ts'
import { TranslatedStream, TranslatedWhole } from '#dialect/translated-answer.ts'
import { translatedEmbeddings } from '#dialect/whole-embeddings.ts'
import type { Conversation } from '#dialect/turn.ts'
import type { AnswerMemory } from '#pipeline/answer-memory.ts'
import { affinityOf, conversationOf } from '#pipeline/conversation-name.ts'
import { ConversationBounds, EmbeddingBounds, type InputBounds } from '#pipeline/input-bounds.ts'

export type EndpointName = keyof typeof CLIENT_DIALECTS

/** A request as the journey sees it. */
export type EndpointRequest = {
  readonly endpoint: EndpointName
  readonly model: string
  readonly isStream: boolean
  /** The media type of a stream that is not one of events. */
  readonly streamType?: string | undefined
  /** The kind of model that can serve it. */
  readonly kind: ModelKind
  readonly likelyInputTokens: number
  readonly worstInputTokens: number
  /** How many input tokens a provider can count at most. */
  readonly inputBounds: InputBounds
  /** What it may come to use that is not tokens, such as images by their size, or searches; undefined where there is none. */
  readonly units?: Units | undefined
  /** The service tier that was asked for; undefined where the provider may choose. */
  readonly tier?: string | undefined
  /** How many answers are generated; 0 where nothing is. */
  readonly choices: number
  readonly outputCap: number | undefined
  /** The name of the member that caps the output, as the client knows it. */
  readonly outputCapName: string
  /** What requests of one conversation have in common, so that they go to the same target; undefined where nothing says so. */
  readonly affinity: () => string | undefined
  /** A text that only the calls of its conversation have in common; undefined where nothing can be said. */
  readonly conversationName: () => string | undefined
  /** The request in no dialect's words, for counting its tokens; undefined where it has none or cannot be read. */
  readonly conversation: () => Conversation | undefined
  /** The account at a provider that gave an answer which the request names. */
  readonly keeperId?: string | undefined
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
  /** Whether the provider is asked for a stream. */
  readonly isStream: boolean
  readonly newReader: () => AnswerReader
  readonly readError: ReadError | undefined
}

/** Where the answers of a caller are remembered. */
export type OwnAnswers = { readonly answers: AnswerMemory; readonly keyId: string }

export type ReadMore = {
  /** What the path says, where it names the model. */
  readonly asked?: AskedInPath | undefined
  readonly own?: OwnAnswers
}

/** Reads a body, or refuses it with the member that is wrong. */
export function readRequest(
  endpoint: EndpointName,
  text: BodyText,
  byteLength: number,
  { asked, own }: ReadMore = {},
): EndpointRequest | Refusal {
  const client: ClientDialect | EmbeddingDialect = CLIENT_DIALECTS[endpoint]
  if (client.kind === 'embedding') return readEmbeddings(endpoint, client, { text, byteLength, asked })
  const request = client.readRequest(text, byteLength, asked)
  if (!isRefusal(request)) return readChat(endpoint, client, request, own)
  const otherClient = client.readAs?.(request, text)
  const other = otherClient?.readRequest(text, byteLength)
  if (otherClient === undefined || other === undefined || isRefusal(other)) return request
  return readChat(endpoint, otherClient, other, own)
}

function readChat(
  endpoint: EndpointName,
  client: ClientDialect,
  given: ClientRequest,
  own: OwnAnswers | undefined,
): EndpointRequest | Refusal {
  const recall = recallOf(client, own)
  let keeperId: string | undefined
  // Where the request goes is not known yet: what a provider may know stays named until then.
  const request = recall(given, ({ providerId }) => {
    keeperId = providerId ?? keeperId
    return providerId !== undefined
  })
  if (isRefusal(request)) return request
  const said = keeperId === undefined ? request : inWords(request, recall)
  const tokens = inputTokens(said.body.size)
  return {
    endpoint,
    model: request.model,
    isStream: request.isStream,
    streamType: request.streamType,
    kind: client.kind,
    ...tokens,
    inputBounds: new ConversationBounds(request.body),
    choices: request.choices,
    outputCap: request.outputCap,
    outputCapName: request.outputCapName,
    affinity: () => affinityOf(request.body.value),
    conversationName: () => conversationOf(request.body.value),
    conversation: () => {
      const conversation = client.readConversation(said)
      return isRefusal(conversation) ? undefined : conversation
    },
    keeperId,
    prepare: (destination) => {
      const { provider, target } = destination
      const isUnderstood = client.isUnderstood?.(request, target.upstreamModel) ?? true
      const isPassed = isUnderstood && client.passesTo.includes(wireDialect(provider.dialect))
      const isOwn = (providerId: string | undefined) => isPassed && providerId === accountId(provider)
      const whole = keeperId === undefined ? request : recall(request, ({ providerId }) => isOwn(providerId))
      if (isRefusal(whole)) return whole
      if (isPassed) return pass({ client, request: whole, own }, destination)
      return translate({ client, request: whole, likelyInputTokens: tokens.likelyInputTokens, own }, destination)
    },
  }
}

/**
 * The request with all that it names, whose size is what any provider reads. One that is too long for that stays as it is: it can only go
 * to who knows its names.
 */
function inWords(request: ClientRequest, recall: Recall): ClientRequest {
  const whole = recall(request, () => false)
  return isRefusal(whole) ? request : whole
}

type Recall = (request: ClientRequest, stays: StaysNamed) => ClientRequest | Refusal

/** What puts the kept answers of a caller into a request. */
export function recallOf({ recall }: ClientDialect, own: OwnAnswers | undefined): Recall {
  const kept = recall === undefined ? undefined : own?.answers.of(own.keyId)
  return (request, stays) => (kept === undefined ? request : (recall?.(request, kept, stays) ?? request))
}

type Passable = Omit<Translatable, 'likelyInputTokens'>

function pass({ client, request, own }: Passable, { provider, target }: Destination): Prepared | Refusal {
  const quirks = quirksOf(provider)
  const refusal = client.checkPass?.(request, quirks)
  if (refusal !== undefined) return refusal
  const newFold = foldOf(request, provider)
  const mended = client.mendPass(request, { upstreamModel: target.upstreamModel, quirks })
  return {
    isPassed: true,
    isStream: request.isStream || newFold !== undefined,
    path: pathAt(client.path, target.upstreamModel, request.isStream || newFold !== undefined),
    dropped: mended.dropped,
    body: (outputCap) =>
      client.editRequest(request, {
        upstreamModel: target.upstreamModel,
        outputCap,
        outputCapField: provider.outputCapField,
        quirks,
        isFolded: newFold !== undefined,
        mended,
      }),
    newReader: () => folded(client.newPassReader(request, keepOf(own, provider)), newFold),
    readError: undefined,
  }
}

/** Where a provider of the client's own dialect is asked. */
export function pathAt(path: ProviderPath, upstreamModel: string, isStream: boolean): string {
  return typeof path === 'string' ? path : path(upstreamModel, isStream)
}

/** How a whole answer is made of a stream that is asked for in its place; undefined where it is asked for as it is. */
function foldOf({ isStream }: ClientRequest, provider: Provider): (() => StreamFold) | undefined {
  const isWanted = !isStream && quirksOf(provider).stopsStreamsOnly
  return isWanted ? dialectOf(provider).newFold : undefined
}

function folded(reader: AnswerReader, newFold: (() => StreamFold) | undefined): AnswerReader {
  return newFold === undefined ? reader : new FoldedAnswer(reader, newFold())
}

type Translatable = {
  readonly client: ClientDialect
  readonly request: ClientRequest
  readonly likelyInputTokens: number
  readonly own: OwnAnswers | undefined
}

function translate(
  { client, request, likelyInputTokens, own }: Translatable,
  { provider, target, exchangeId, nowMs }: Destination,
): Prepared | Refusal {
  const read = client.readConversation(request)
  if (isRefusal(read)) return read
  const names = new ToolNames(read.tools)
  const conversation = forProvider(read, names)
  if (!hasContent(conversation)) {
    const param = ['messages', 'contents'].find((name) => name in request.body.value) ?? 'input'
    return refuse('invalid_request', `'${param}' holds nothing that can be sent. Send at least one text.`, { param })
  }
  const dialect = dialectOf(provider)
  const newFold = foldOf(request, provider)
  const isStream = request.isStream || newFold !== undefined
  const written = dialect.writeRequest(conversation, {
    upstreamModel: target.upstreamModel,
    isStream,
    outputCapField: provider.outputCapField,
    quirks: quirksOf(provider),
  })
  if (isRefusal(written)) return written
  return {
    isPassed: false,
    isStream,
    path: written.path,
    dropped: [...new Set([...conversation.dropped, ...written.dropped])],
    body: (outputCap) => {
      if (outputCap === undefined) throw new Error('a translated request has no output cap')
      return written.body(outputCap)
    },
    readError: dialect.readError,
    newReader: () => {
      const createdAtS = Math.floor(nowMs / 1000)
      const context = { request, exchangeId, createdAtS, likelyInputTokens, keep: keepOf(own) }
      const { isShown, keepsSeal = false } = conversation.reasoning
      const callIds = new AnswerCallIds(exchangeId, callIdsIn(read))
      const restorer = new AnswerRestorer(names, { showsReasoning: isShown, keepsSeals: keepsSeal, callIds })
      const translation = { client, provider: dialect, context, restorer }
      return request.isStream ? new TranslatedStream(translation) : folded(new TranslatedWhole(translation), newFold)
    },
  }
}

/** `provider` is the one that may know the answer by itself. */
function keepOf(own: OwnAnswers | undefined, provider?: Provider): KeepAnswer | undefined {
  const known = provider === undefined ? {} : { providerId: accountId(provider) }
  return own && ((answer) => own.answers.keep(own.keyId, { ...answer, ...known }))
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

type EmbeddingsBody = { readonly text: BodyText; readonly byteLength: number; readonly asked: AskedInPath | undefined }

function readEmbeddings(
  endpoint: EndpointName,
  client: EmbeddingDialect,
  body: EmbeddingsBody,
): EndpointRequest | Refusal {
  const request = client.readRequest(body.text, body.byteLength, body.asked)
  if (isRefusal(request)) return request
  const { tokenCount } = request
  const bounds = new EmbeddingBounds(request)
  return {
    endpoint,
    model: request.model,
    isStream: false,
    kind: client.kind,
    ...(tokenCount === undefined
      ? inputTokens(request.body.size)
      : { likelyInputTokens: tokenCount, worstInputTokens: tokenCount }),
    inputBounds: bounds,
    choices: 0,
    outputCap: undefined,
    outputCapName: 'max_tokens',
    affinity: () => undefined,
    conversationName: () => undefined,
    conversation: () => undefined,
    prepare: (destination) => {
      const { embeddings } = dialectOf(destination.provider)
      if (embeddings !== undefined) return prepareEmbeddings({ client, request, provider: embeddings }, destination)
      const { dialect } = destination.provider
      const message = `The provider of '${request.model}' speaks the ${dialect} dialect, which has no embeddings here.`
      return refuse('invalid_request', message, { param: 'model' })
    },
  }
}

type EmbeddingPair = {
  readonly client: EmbeddingDialect
  readonly request: EmbeddingRequest
  readonly provider: EmbeddingProvider
}

function prepareEmbeddings(pair: EmbeddingPair, { provider, target }: Destination): Prepared | Refusal {
  const { client, request } = pair
  const { upstreamModel } = target
  if (client.passesTo.includes(wireDialect(provider.dialect))) {
    return {
      isPassed: true,
      isStream: false,
      path: client.path(upstreamModel, request),
      dropped: [],
      body: () => client.editRequest(request, upstreamModel),
      newReader: () => client.newPassReader(request),
      readError: undefined,
    }
  }
  const wish = client.readWish(request)
  if (isRefusal(wish)) return wish
  const written = pair.provider.write(wish, upstreamModel)
  if (isRefusal(written)) return written
  return {
    isPassed: false,
    isStream: false,
    path: written.path,
    dropped: wish.dropped,
    body: () => written.body,
    readError: dialectOf(provider).readError,
    newReader: () => translatedEmbeddings(pair, wish.inputs.length),
  }
}

function inputTokens(size: InputSize): Pick<EndpointRequest, 'likelyInputTokens' | 'worstInputTokens'> {
  return { likelyInputTokens: estimateInputTokens(size), worstInputTokens: worstCaseInputTokens(size) }
}
