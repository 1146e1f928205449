// The gateway's endpoints that reach an upstream, each with the dialect functions that read, edit and pass it on.

import type { ModelKind, OutputCapField } from '#core/entities.ts'
import { estimateInputTokens, worstCaseInputTokens, type InputSize } from '#core/estimate.ts'
import { isRefusal, type Refusal } from '#core/refusal.ts'
import type { AnswerReader } from '#dialect/answer.ts'
import { editChatRequest } from '#dialect/chat-completions/edit-request.ts'
import { ChatAnswerReader } from '#dialect/chat-completions/read-answer.ts'
import { readChatRequest } from '#dialect/chat-completions/read-request.ts'
import { ChatStreamReader } from '#dialect/chat-completions/read-stream.ts'
import { EmbeddingAnswerReader } from '#dialect/embeddings/read-answer.ts'
import { editEmbeddingRequest, readEmbeddingRequest } from '#dialect/embeddings/read-request.ts'

export type EndpointName = 'chat' | 'embeddings'

/** A request as the journey sees it, whatever its dialect. */
export type EndpointRequest = {
  readonly endpoint: EndpointName
  readonly model: string
  readonly isStream: boolean
  /** The kind of model that can serve it. */
  readonly kind: ModelKind
  readonly upstreamPath: string
  readonly likelyInputTokens: number
  readonly worstInputTokens: number
  /** How many answers are generated; 0 where nothing is. */
  readonly choices: number
  readonly outputCap: number | undefined
  /** The name of the member that caps the output, as the client knows it. */
  readonly outputCapName: OutputCapField
  edit(upstreamModel: string, outputCap: number | undefined, outputCapField: OutputCapField): string
  newReader(): AnswerReader
}

/** Reads a body, or refuses it with the member that is wrong. */
export function readRequest(endpoint: EndpointName, text: string, byteLength: number): EndpointRequest | Refusal {
  return endpoint === 'chat' ? readChat(text, byteLength) : readEmbeddings(text, byteLength)
}

function readChat(text: string, byteLength: number): EndpointRequest | Refusal {
  const request = readChatRequest(text, byteLength)
  if (isRefusal(request)) return request
  return {
    endpoint: 'chat',
    model: request.model,
    isStream: request.isStream,
    kind: 'chat',
    upstreamPath: '/chat/completions',
    ...inputTokens(request.body.size),
    choices: request.choices,
    outputCap: request.outputCap,
    outputCapName: request.outputCapField ?? 'max_tokens',
    edit: (upstreamModel, outputCap, outputCapField) =>
      editChatRequest(request, { upstreamModel, outputCap, outputCapField }),
    newReader: () => (request.isStream ? new ChatStreamReader(request) : new ChatAnswerReader()),
  }
}

function readEmbeddings(text: string, byteLength: number): EndpointRequest | Refusal {
  const request = readEmbeddingRequest(text, byteLength)
  if (isRefusal(request)) return request
  const { tokenCount } = request
  return {
    endpoint: 'embeddings',
    model: request.model,
    isStream: false,
    kind: 'embedding',
    upstreamPath: '/embeddings',
    ...(tokenCount === undefined
      ? inputTokens(request.body.size)
      : { likelyInputTokens: tokenCount, worstInputTokens: tokenCount }),
    choices: 0,
    outputCap: undefined,
    outputCapName: 'max_tokens',
    edit: (upstreamModel) => editEmbeddingRequest(request, upstreamModel),
    newReader: () => new EmbeddingAnswerReader(request.format),
  }
}

function inputTokens(size: InputSize): Pick<EndpointRequest, 'likelyInputTokens' | 'worstInputTokens'> {
  return { likelyInputTokens: estimateInputTokens(size), worstInputTokens: worstCaseInputTokens(size) }
}
