// The gateway's endpoints that reach an upstream: what routing and metering need of their requests, whatever the dialect, and
// how a request is made ready for the provider that was chosen.

import type { ModelKind, Provider, Target } from '#core/entities.ts'
import { estimateInputTokens, worstCaseInputTokens, type InputSize } from '#core/estimate.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import { accountId } from '#core/secret-pool.ts'
import { UNKNOWN_USAGE, type TokenUsage, type Units } from '#core/usage.ts'
import type { AnswerReader } from '#dialect/answer.ts'
import type { Countable } from '#dialect/count.ts'
import type {
  AskedInPath,
  AskedRequest,
  ClientDialect,
  EmbeddingDialect,
  KeepAnswer,
  KeptAnswer,
  KeptAnswers,
  ReadError,
} from '#dialect/dialect.ts'
import type { EmbeddingProvider, EmbeddingRequest } from '#dialect/embedding.ts'
import { searchesAsked, tierAsked } from '#dialect/asked-extras.ts'
import { CLIENT_DIALECTS, dialectOf, embeddingsOf, quirksOf, type AnyFormat } from '#dialect/dialects.ts'
import type { UploadedForm, UploadBody } from '#dialect/form.ts'
import type { PassedDialect, PassedRequest, UncappedOutput } from '#dialect/passed-dialect.ts'
import type { BodyText } from '#dialect/request-body.ts'
import { translatedEmbeddings } from '#dialect/whole-embeddings.ts'
import type { AnswerMemory } from '#pipeline/answer-memory.ts'
import { countableIn, isPassedTo, readGiven, recalled, sizeOf, type ChatBody } from '#pipeline/chat-body.ts'
import { affinityOf } from '#pipeline/affinity.ts'
import { ConversationBounds, InputsBounds, inputFacts, countedTexts, type InputBounds } from '#pipeline/input-bounds.ts'
import { newReader, plainTarget, prepareText, type PreparedFacts, type PreparedText } from '#pipeline/prepare.ts'

export type EndpointName = keyof typeof CLIENT_DIALECTS

type CountableInput = Countable | Refusal | undefined

/** What the journey needs of a request to admit and to settle it. */
export type MeteredRequest = {
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
  /** What it may come to use that is not tokens, such as images by their size; undefined where there is none. */
  readonly units?: Units | undefined
  /** What they probably are where nobody says it; the same where it is left out. */
  readonly likelyUnits?: Units | undefined
  /** How many searches its provider may make for it; undefined where it may make none. */
  readonly searches?: () => Units | undefined
  /** The service tier that providers are asked for; undefined where one of them may choose. */
  readonly tierAt?: (providers: readonly Provider[]) => string | undefined
  /** How many answers are generated; 0 where nothing is. */
  readonly choices: number
  readonly outputCap: number | undefined
  /** Output of which nothing can be capped; undefined where there is none. */
  readonly output?: UncappedOutput | undefined
  /** Bytes of the request that each answer may repeat, and no provider counts as output. */
  readonly echoedBytes?: number | undefined
  /** The name of the member that caps the output, as the client knows it. */
  readonly outputCapName: string
  /** What requests of one conversation have in common, so that they go to the same target; undefined where nothing says so. */
  readonly affinity: () => string | undefined
  /** What has to be counted of it, or why it cannot be read; undefined where it has no conversation. */
  readonly countable: () => CountableInput | Promise<CountableInput>
  /** The account at a provider that gave an answer which the request names. */
  readonly keeperId?: string | undefined
  /** Whether it only prepares the next request, and no answer is to be generated. */
  readonly isWarmUp?: boolean | undefined
}

/** A request that is read and written where it is used. */
export type EndpointRequest = MeteredRequest & {
  readonly countable: () => CountableInput
  /** Makes the request ready for one target, or refuses what its provider cannot be asked. */
  readonly prepare: (destination: Destination) => Prepared | Refusal
}

export type Destination = {
  readonly provider: Provider
  readonly target: Target
  readonly exchangeId: string
  readonly nowMs: number
}

/** How the answer to a request that is ready for a target is read. */
export type AnswerReading = {
  readonly newReader: () => AnswerReader
  /** The media types of an answer that is neither JSON nor events. */
  readonly mediaTypes?: RegExp | undefined
  readonly readError: ReadError | undefined
  /** The whole stream of an answer that says nothing, for formats that have warm-ups. It is kept as every answer is. */
  readonly silence?: () => string
}

/** Where the answers of a caller are remembered, and those of its connection that nobody else may name. */
export type OwnAnswers = {
  readonly answers: AnswerMemory
  readonly keyId: string
  readonly connection?: ConnectionAnswers | undefined
}

/** The answers of one connection, for as long as it is open. */
export type ConnectionAnswers = { readonly answers: AnswerMemory; readonly id: string }

export type ReadMore = {
  /** What the path says, where it names the model. */
  readonly asked?: AskedInPath | undefined
  readonly own?: OwnAnswers | undefined
}

export type Prepared = Omit<PreparedText, 'request' | 'translation'> &
  AnswerReading & {
    /** A form that is sent in place of the body. */
    readonly upload?: UploadBody | undefined
  }

/** Reads a body, or refuses it with the member that is wrong. */
export function readRequest(
  endpoint: EndpointName,
  text: BodyText,
  byteLength: number,
  { asked, own }: ReadMore = {},
): EndpointRequest | Refusal {
  const client: AnyFormat = CLIENT_DIALECTS[endpoint]
  if (client.family !== undefined) {
    return passedRequest(endpoint, client, client.readRequest(text, byteLength))
  }
  if (client.kind === 'embedding') return readEmbeddings(endpoint, client, { text, byteLength, asked })
  const given = readGiven(client, text, byteLength, asked)
  const chat = isRefusal(given) ? given : recalled(given, answersOf(own))
  return isRefusal(chat) ? chat : requestOf(endpoint, chat, own)
}

/** Reads a form with files, or refuses it with the name that is wrong. */
export function readFormRequest(endpoint: EndpointName, form: UploadedForm): EndpointRequest | Refusal {
  const client: AnyFormat = CLIENT_DIALECTS[endpoint]
  if (client.family === undefined || client.readForm === undefined) throw new Error(`${endpoint} takes no form`)
  return passedRequest(endpoint, client, client.readForm(form))
}

function passedRequest(
  endpoint: EndpointName,
  client: PassedDialect,
  request: PassedRequest | Refusal,
): EndpointRequest | Refusal {
  return isRefusal(request) ? request : { ...unspoken(endpoint, client.kind, request), ...passedOn(client, request) }
}

export function answersOf(own: OwnAnswers | undefined): KeptAnswers | undefined {
  const ofKey = own?.answers.of(own.keyId)
  const ofConnection = own?.connection?.answers.of(own.connection.id)
  if (ofConnection === undefined) return ofKey
  return {
    answer: (id) => ofConnection.answer(id) ?? ofKey?.answer(id),
    withItem: (id) => ofConnection.withItem(id) ?? ofKey?.withItem(id),
  }
}

function requestOf(endpoint: EndpointName, chat: ChatBody, own: OwnAnswers | undefined): EndpointRequest {
  const { client, request, keeperId } = chat
  const { body } = request
  const size = sizeOf(chat)
  return {
    ...meteredMembers(endpoint, request, size),
    inputBounds: new ConversationBounds({ facts: () => inputFacts(body), texts: () => countedTexts(body) }),
    searches: () => searchesAsked(body.value),
    tierAt: (providers) => tierAsked(client, body.value, providers),
    affinity: () => affinityOf(body.value),
    countable: () => countableIn(chat),
    keeperId,
    prepare: (destination) => {
      const { provider, target } = destination
      const prepared = prepareText(chat, plainTarget(provider, target))
      if (isRefusal(prepared)) return prepared
      const { request: sent, isPassed, isStream, path, dropped, body: write } = prepared
      const askedIn = () => client.naming?.askedIn(sent)
      const reading = answerReading({ client, request: sent, size, own, askedIn }, prepared, destination)
      return { isPassed, isStream, path, dropped, body: write, ...reading }
    },
  }
}

/** What a request says of itself in its first members, and what follows from its size. */
export function meteredMembers(endpoint: EndpointName, request: AskedRequest, size: InputSize) {
  const { model, isStream, streamType, choices, outputCap, outputCapName, isWarmUp } = request
  const told = { model, isStream, streamType, choices, outputCap, outputCapName, isWarmUp }
  return { endpoint, kind: 'chat', ...told, ...inputTokens(size) } as const
}

/** A request as it is sent to a provider, as far as its answer depends on it. */
type Sent = {
  readonly client: ClientDialect
  readonly request: AskedRequest
  readonly size: InputSize
  readonly own: OwnAnswers | undefined
  /** What it asked, for those that go on from its answer. */
  readonly askedIn: () => string | undefined
}

/** How the answer to a conversation is read. */
export function answerReading(
  sent: Sent,
  { isPassed, translation }: PreparedFacts,
  { provider, exchangeId, nowMs }: Destination,
): AnswerReading {
  const { client, request, size } = sent
  const contextOf = (known: Pick<KeptAnswer, 'providerId'>) => {
    const { likelyInputTokens } = inputTokens(size)
    return { request, exchangeId, createdAtS: Math.floor(nowMs / 1000), likelyInputTokens, keep: keepOf(sent, known) }
  }
  return {
    newReader: () => {
      // The provider of an answer that is passed on may know it by itself.
      const context = contextOf(isPassed ? { providerId: accountId(provider) } : {})
      return newReader({ client, provider, translation, context })
    },
    readError: dialectOf(provider).readError,
    silence: () => {
      const writer = client.newStreamWriter(contextOf({}))
      return writer.write({ type: 'start' }) + writer.end(NO_USAGE)
    },
  }
}

function keepOf({ own, askedIn, request }: Sent, known: Pick<KeptAnswer, 'providerId'>): KeepAnswer | undefined {
  if (own === undefined) return undefined
  const { answers, keyId, connection } = own
  if (request.isOfConnection !== true) return (answer) => answers.keep(keyId, { ...answer, ...known, asked: askedIn() })
  // No provider keeps it.
  return (answer) => connection?.answers.keep(connection.id, { ...answer, asked: askedIn() })
}

type EmbeddingsBody = { readonly text: BodyText; readonly byteLength: number; readonly asked: AskedInPath | undefined }

function readEmbeddings(
  endpoint: EndpointName,
  client: EmbeddingDialect,
  body: EmbeddingsBody,
): EndpointRequest | Refusal {
  const request = client.readRequest(body.text, body.byteLength, body.asked)
  if (isRefusal(request)) return request
  return {
    ...unspoken(endpoint, client.kind, request),
    isStream: false,
    choices: 0,
    outputCap: undefined,
    prepare: (destination) => {
      const embeddings = embeddingsOf(destination.provider)
      if (embeddings !== undefined) return prepareEmbeddings({ client, request, provider: embeddings }, destination)
      const { dialect } = destination.provider
      const message = `The provider of '${request.model}' speaks the ${dialect} dialect, which has no embeddings here.`
      return refuse('invalid_request', message, { param: 'model' })
    },
  }
}

/** What is alike in requests that are no conversations. */
function unspoken(endpoint: EndpointName, kind: ModelKind, request: PassedRequest | EmbeddingRequest) {
  const { model, tokenCount, body } = request
  return {
    endpoint,
    model,
    kind,
    ...(tokenCount === undefined
      ? inputTokens(body.size, 'media' in request ? request.media?.likelyTokens : undefined)
      : { likelyInputTokens: tokenCount, worstInputTokens: tokenCount }),
    inputBounds: new InputsBounds(request),
    outputCapName: 'max_tokens',
    affinity: () => undefined,
    countable: () => undefined,
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
  if (isPassedTo({ client }, provider)) {
    return {
      isPassed: true,
      isStream: false,
      path: client.path(upstreamModel, request),
      dropped: [],
      body: () => client.editRequest(request, upstreamModel),
      newReader: () => client.newPassReader(request),
      readError: dialectOf(provider).readError,
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

type PassedOn = Pick<
  EndpointRequest,
  'isStream' | 'units' | 'likelyUnits' | 'output' | 'choices' | 'outputCap' | 'echoedBytes' | 'prepare'
>

/** A request that nobody translates: what a provider does not have itself is refused. */
function passedOn(client: PassedDialect, request: PassedRequest): PassedOn {
  return {
    isStream: request.isStream,
    units: request.units,
    likelyUnits: request.likelyUnits,
    output: request.output,
    choices: request.choices,
    outputCap: request.outputCap,
    echoedBytes: request.echoedBytes,
    prepare: ({ provider, target }) => {
      const quirks = quirksOf(provider)
      if (!quirks.routes.includes(client.family)) {
        const message = `The provider of '${request.model}' has no ${client.makes} here.`
        return refuse('not_found', message, { param: 'model' })
      }
      return {
        isPassed: true,
        isStream: request.isStream,
        path: client.path,
        dropped: [],
        body: (outputCap) => request.edit({ upstreamModel: target.upstreamModel, outputCap, quirks }),
        upload: request.form?.(target.upstreamModel),
        newReader: () => request.newReader(),
        mediaTypes: request.mediaTypes,
        readError: undefined,
      }
    },
  }
}

/** Of an answer that no provider was asked for. */
const NO_USAGE: TokenUsage = { ...UNKNOWN_USAGE, inputTokens: 0, outputTokens: 0 }

/** `more` are tokens that the size says nothing of. */
function inputTokens(size: InputSize, more = 0): Pick<EndpointRequest, 'likelyInputTokens' | 'worstInputTokens'> {
  return { likelyInputTokens: estimateInputTokens(size) + more, worstInputTokens: worstCaseInputTokens(size) + more }
}
