// Passes an embeddings answer on in the form that the client asked for. The OpenAI SDKs ask for base64 by default and decode
// whatever comes without checking: a float array would silently become a quarter as many wrong numbers.

import { UpstreamFailure } from '#core/failure.ts'
import { tokenCount, type TokenUsage } from '#core/usage.ts'
import { reportedError } from '#dialect/chat-completions/reported-error.ts'
import { readUsage, writeUsage } from '#dialect/chat-completions/usage.ts'
import type { EmbeddingForm, EmbeddingRequest, Embeddings, Vector } from '#dialect/embedding.ts'
import { isVector, numbersOf, packFloats } from '#dialect/embeddings/vectors.ts'
import { isRecord } from '#dialect/request-body.ts'
import type { JsonObject } from '#dialect/turn.ts'
import { WholeEmbeddings } from '#dialect/whole-embeddings.ts'

type OwnEmbeddings = Embeddings & { readonly answer: JsonObject; readonly data: readonly OwnItem[] }
type OwnItem = JsonObject & { readonly embedding: Vector }

export function newEmbeddingPass({ form }: Pick<EmbeddingRequest, 'form'>): WholeEmbeddings<OwnEmbeddings> {
  return new WholeEmbeddings({
    read: readOwn,
    write: ({ answer, data }) => {
      if (data.every(({ embedding }) => isAsAsked(embedding, form))) return undefined
      const converted = data.map((item) => ({ ...item, embedding: inForm(item.embedding, form) }))
      return JSON.stringify({ ...answer, data: converted })
    },
  })
}

/** The vectors in the order of their inputs. */
export function readEmbeddings(answer: JsonObject): Embeddings {
  const { data, usage } = readOwn(answer)
  const placed = data.toSorted((one, other) => indexOf(one) - indexOf(other))
  return { usage, vectors: placed.map(({ embedding }) => embedding) }
}

export function writeEmbeddingAnswer(vectors: readonly Vector[], usage: TokenUsage, request: EmbeddingRequest): string {
  const data = vectors.map((vector, index) => ({
    object: 'embedding',
    index,
    embedding: inForm(vector, request.form),
  }))
  const { prompt_tokens, total_tokens } = writeUsage(usage)
  return JSON.stringify({ object: 'list', data, model: request.model, usage: { prompt_tokens, total_tokens } })
}

function readOwn(answer: JsonObject): OwnEmbeddings {
  if (answer['error'] !== undefined && answer['error'] !== null) throw reportedError(answer['error'])
  const data = answer['data']
  if (!Array.isArray(data) || !data.every(isOwnItem)) {
    throw new UpstreamFailure('malformed', 'The provider did not answer with embeddings.')
  }
  return { answer, data, vectors: data.map(({ embedding }) => embedding), usage: embeddingCounts(answer['usage']) }
}

/** Voyage tells the total alone, and others count images in nothing else. Where there is a count of the input, it is what is paid. */
function embeddingCounts(reported: unknown): TokenUsage | undefined {
  if (!isRecord(reported)) return undefined
  const { prompt_tokens: prompt, total_tokens: total, ...others } = reported
  const input = tokenCount(prompt) || tokenCount(total) || 0
  return readUsage(input === 0 ? reported : { ...others, prompt_tokens: input })
}

function isOwnItem(item: unknown): item is OwnItem {
  return isRecord(item) && isVector(item['embedding'])
}

/** Servers that leave it out give them in their order. */
function indexOf({ index }: JsonObject): number {
  return typeof index === 'number' ? index : 0
}

function isAsAsked(vector: Vector, form: EmbeddingForm): boolean {
  return (typeof vector === 'string') === (form === 'base64')
}

function inForm(vector: Vector, form: EmbeddingForm): Vector {
  if (isAsAsked(vector, form)) return vector
  return typeof vector === 'string' ? numbersOf(vector) : packFloats(vector)
}
