// Embedding answers of the scripted provider. Pure: vectors follow from the request alone.
import type { EmbeddingContent } from './upstream-behaviour.ts'
import type { Asked, RequestBody } from './upstream-format.ts'

const DEFAULT_DIMENSIONS = 8

/** An embeddings answer with one vector for each input. */
export function embeddingAnswer(script: EmbeddingContent, request: RequestBody): Buffer {
  const vectors = script.vectors ?? defaultVectors(request)
  const asBase64 = (script.format ?? 'as-asked') === 'as-asked' ? request.encoding_format : script.format
  const data = vectors.map((vector, index) => ({
    object: 'embedding',
    index,
    embedding: asBase64 === 'base64' ? packed(vector) : vector,
  }))
  const counts = { prompt_tokens: vectors.length * 5, total_tokens: vectors.length * 5 }
  const usage = script.usage === null ? {} : { usage: script.usage ?? counts }
  const answer = { object: 'list', data, model: request.model ?? 'unnamed', ...usage }
  return Buffer.from(JSON.stringify(answer, null, 2) + '\n')
}

/** The same as Google's API answers: its own form for one content and for a list, and without counts where none are asked for. */
export function geminiEmbeddingAnswer(script: EmbeddingContent, { path, body }: Asked): Buffer {
  const requests = Array.isArray(body.requests) ? (body.requests as readonly RequestBody[]) : [body]
  const vectors = script.vectors ?? requests.map((request, index) => defaultVector(request.outputDimensionality, index))
  const embeddings = vectors.map((values) => ({ values }))
  const usage = script.usage === undefined || script.usage === null ? {} : { usageMetadata: script.usage }
  const answer = path.includes(':batch') ? { embeddings, ...usage } : { embedding: embeddings[0], ...usage }
  return Buffer.from(JSON.stringify(answer, null, 2) + '\n')
}

/** Little-endian float32, the layout that client libraries decode without checking. */
function packed(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * 4)
  vector.forEach((value, index) => bytes.writeFloatLE(value, index * 4))
  return bytes.toString('base64')
}

function defaultVectors(request: RequestBody): number[][] {
  return Array.from({ length: inputCount(request.input) }, (_, index) => defaultVector(request.dimensions, index))
}

/** Multiples of 1/8, which float32 holds exactly: a round trip through base64 must give the very same numbers. */
function defaultVector(asked: unknown, index: number): number[] {
  const dimensions = typeof asked === 'number' ? asked : DEFAULT_DIMENSIONS
  return Array.from({ length: dimensions }, (_, place) => (index - place) / 8)
}

/** A list of numbers is one input given as tokens; any other list has one input an entry. */
function inputCount(input: unknown): number {
  if (!Array.isArray(input)) return 1
  return input.every((entry) => typeof entry === 'number') ? 1 : input.length
}
