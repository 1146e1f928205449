// The gateway's endpoints that reach an upstream: what routing and metering need of their requests, whatever the dialect, and
// how a request is made ready for the provider that was chosen.

import type { ModelKind, Provider, Target } from '#core/entities.ts'
import { estimateInputTokens, worstCaseInputTokens, type InputSize } from '#core/estimate.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import type { AnswerReader } from '#dialect/answer.ts'
import { countableOf, type Countable } from '#dialect/count.ts'
import type { AskedRequest, ClientDialect, ClientRequest, EmbeddingDialect, ReadError } from '#dialect/dialect.ts'
import { CLIENT_DIALECTS, dialectOf } from '#dialect/dialects.ts'
import type { BodyText } from '#dialect/request-body.ts'
import { affinityOf, conversationOf } from '#pipeline/conversation-name.ts'
import {
  ConversationBounds,
  EmbeddingBounds,
  inputFacts,
  countedTexts,
  type InputBounds,
} from '#pipeline/input-bounds.ts'
import { newReader, plainTarget, prepareText, type PreparedFacts, type PreparedText } from '#pipeline/prepare.ts'

export type EndpointName = keyof typeof CLIENT_DIALECTS

type CountableInput = Countable | Refusal | undefined

/** What the journey needs of a request to admit and to settle it. */
export type MeteredRequest = {
  readonly endpoint: EndpointName
  readonly model: string
  readonly isStream: boolean
  /** The kind of model that can serve it. */
  readonly kind: ModelKind
  readonly likelyInputTokens: number
  readonly worstInputTokens: number
  /** How many input tokens a provider can count at most. */
  readonly inputBounds: InputBounds
  /** How many answers are generated; 0 where nothing is. */
  readonly choices: number
  readonly outputCap: number | undefined
  /** The name of the member that caps the output, as the client knows it. */
  readonly outputCapName: string
  /** What requests of one conversation have in common, so that they go to the same target; undefined where nothing says so. */
  readonly affinity: () => string | undefined
  /** A text that only the calls of its conversation have in common; undefined where nothing can be said. */
  readonly conversationName: () => string | undefined
  /** What has to be counted of it, or why it cannot be read; undefined where it has no conversation. */
  readonly countable: () => CountableInput | Promise<CountableInput>
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
  readonly readError: ReadError | undefined
}

export type Prepared = Omit<PreparedText, 'translation'> & AnswerReading

/** Reads a body, or refuses it with the member that is wrong. */
export function readRequest(endpoint: EndpointName, text: BodyText, byteLength: number): EndpointRequest | Refusal {
  const client = CLIENT_DIALECTS[endpoint]
  if (client.kind === 'embedding') return readEmbeddings(endpoint, client, { text, byteLength })
  const read = readChat(client, text, byteLength)
  return isRefusal(read) ? read : requestOf(endpoint, read)
}

/** A request with the format that it is in, which is not always that of its endpoint. */
export type ChatBody = { readonly client: ClientDialect; readonly request: ClientRequest }

export function readChat(client: ClientDialect, text: BodyText, byteLength: number): ChatBody | Refusal {
  const request = client.readRequest(text, byteLength)
  if (!isRefusal(request)) return { client, request }
  if (client.other?.fits(request, text) !== true) return request
  const { format } = client.other
  const other = format.readRequest(text, byteLength)
  return isRefusal(other) ? request : { client: format, request: other }
}

function requestOf(endpoint: EndpointName, { client, request }: ChatBody): EndpointRequest {
  const { body } = request
  return {
    ...meteredMembers(endpoint, request, body.size),
    inputBounds: new ConversationBounds({ facts: () => inputFacts(body), texts: () => countedTexts(body) }),
    affinity: () => affinityOf(body.value),
    conversationName: () => conversationOf(body.value),
    countable: () => countableIn({ client, request }),
    prepare: (destination) => {
      const { provider, target } = destination
      const prepared = prepareText(client, request, plainTarget(provider, target))
      if (isRefusal(prepared)) return prepared
      const { isPassed, isStream, path, dropped, body: write } = prepared
      const reading = answerReading({ client, request, size: body.size }, prepared, destination)
      return { isPassed, isStream, path, dropped, body: write, ...reading }
    },
  }
}

/** What has to be counted of a conversation, or why it cannot be read. */
export function countableIn({ client, request }: ChatBody): Countable | Refusal {
  const conversation = client.readConversation(request)
  return isRefusal(conversation) ? conversation : countableOf(conversation)
}

/** What a request says of itself in its first members, and what follows from its size. */
export function meteredMembers(endpoint: EndpointName, request: AskedRequest, size: InputSize) {
  const { model, isStream, choices, outputCap, outputCapName } = request
  return { endpoint, model, isStream, kind: 'chat', choices, outputCap, outputCapName, ...inputTokens(size) } as const
}

type Asked = { readonly client: ClientDialect; readonly request: AskedRequest; readonly size: InputSize }

/** How the answer to a conversation is read. */
export function answerReading(
  { client, request, size }: Asked,
  { isPassed, translation }: PreparedFacts,
  { provider, exchangeId, nowMs }: Destination,
): AnswerReading {
  const { likelyInputTokens } = inputTokens(size)
  const context = { request, exchangeId, createdAtS: Math.floor(nowMs / 1000), likelyInputTokens }
  return {
    newReader: () => newReader({ client, provider, translation, context }),
    readError: isPassed ? undefined : dialectOf(provider).readError,
  }
}

type EmbeddingsBody = { readonly text: BodyText; readonly byteLength: number }

function readEmbeddings(
  endpoint: EndpointName,
  client: EmbeddingDialect,
  body: EmbeddingsBody,
): EndpointRequest | Refusal {
  const request = client.readRequest(body.text, body.byteLength)
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
    countable: () => undefined,
    prepare: ({ provider, target }) => {
      if (dialectOf(provider).takesEmbeddings !== true) {
        const message = `The provider of '${request.model}' speaks the ${provider.dialect} dialect, which has no embeddings here.`
        return refuse('invalid_request', message, { param: 'model' })
      }
      return {
        isPassed: true,
        isStream: false,
        path: client.path,
        dropped: [],
        body: () => client.editRequest(request, target.upstreamModel),
        newReader: () => client.newReader(request),
        readError: undefined,
      }
    },
  }
}

function inputTokens(size: InputSize): Pick<EndpointRequest, 'likelyInputTokens' | 'worstInputTokens'> {
  return { likelyInputTokens: estimateInputTokens(size), worstInputTokens: worstCaseInputTokens(size) }
}
