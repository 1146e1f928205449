// Reads a request for embeddings in Google's format: one content, or a list of requests with one content each.

import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import type { AskedInPath } from '#dialect/dialect.ts'
import type { EmbeddingRequest } from '#dialect/embedding.ts'
import { field } from '#dialect/gemini/fields.ts'
import { embeddingReferences } from '#dialect/gemini/input-rules.ts'
import { checkReading, CONTENT, type Shape } from '#dialect/gemini/one-reading.ts'
import { checkFields, countRule, isRecord, parseBody, readModel, type BodyText } from '#dialect/request-body.ts'
import type { JsonObject } from '#dialect/turn.ts'

export const SINGLE = 'embedContent'
export const BATCH = 'batchEmbedContents'

/** Where newer clients put what stands beside the content. */
const CONFIG = 'embedContentConfig'
const DIMENSIONS = 'outputDimensionality'
const MAX_DIMENSIONS = 100_000
/** As many as OpenAI takes inputs. */
const MAX_REQUESTS = 2048

const EMBED: Shape = { content: CONTENT, [CONFIG]: {} }

/** The request, or a refusal that names the member that is wrong. Without a path, as in a test request, `requests` make a batch. */
export function readGeminiEmbedding(
  text: BodyText,
  byteLength: number,
  asked?: AskedInPath,
): EmbeddingRequest | Refusal {
  const body = parseBody(text, byteLength)
  if (isRefusal(body)) return body
  const { value } = body
  const model = asked?.model ?? readModel(value)
  if (typeof model !== 'string') return model
  const isBatch = asked === undefined ? value['requests'] !== undefined : asked.method === BATCH
  const problem =
    checkReading(body, isBatch ? { requests: EMBED } : EMBED) ??
    (isBatch ? checkRequests(value['requests']) : checkRequest(value, ''))
  if (problem !== undefined) return problem
  const inputCount = requestsIn(value).length
  return {
    model,
    form: isBatch ? 'batch' : 'single',
    tokenCount: undefined,
    inputCount,
    isLone: inputCount === 1,
    references: () => embeddingReferences(value),
    body,
  }
}

/** The requests of a batch, or the one that stands alone. */
export function requestsIn(value: JsonObject): readonly JsonObject[] {
  const { requests } = value
  return Array.isArray(requests) ? requests.filter(isRecord) : [value]
}

/** A member of a request, where it stands now or where older clients have it. */
export function wished(request: JsonObject, name: string): unknown {
  const config = field(request, CONFIG)
  return (isRecord(config) ? field(config, name) : undefined) ?? field(request, name)
}

export function dimensionsIn(request: JsonObject): number | undefined {
  const dimensions = wished(request, DIMENSIONS)
  return typeof dimensions === 'number' ? dimensions : undefined
}

function checkRequests(requests: unknown): Refusal | undefined {
  if (requests === undefined || requests === null) return wrong('requests', 'is required')
  if (!Array.isArray(requests) || requests.length === 0) return wrong('requests', 'must be a non-empty array')
  if (requests.length > MAX_REQUESTS) return wrong('requests', `must have at most ${MAX_REQUESTS} items`)
  for (const [index, request] of requests.entries()) {
    const path = `requests[${index}]`
    const problem = isRecord(request) ? checkRequest(request, `${path}.`) : wrong(path, 'must be an object')
    if (problem !== undefined) return problem
  }
  return undefined
}

function checkRequest(request: JsonObject, prefix: string): Refusal | undefined {
  const { content } = request
  const path = `${prefix}content`
  if (content === undefined || content === null) return wrong(path, 'is required')
  if (!isRecord(content)) return wrong(path, 'must be an object')
  const { parts } = content
  if (!Array.isArray(parts) || parts.length === 0) return wrong(`${path}.parts`, 'must be a non-empty array')
  const at = parts.findIndex((part) => !isRecord(part))
  if (at !== -1) return wrong(`${path}.parts[${at}]`, 'must be an object')
  const name = prefix + DIMENSIONS
  return checkFields({ [name]: wished(request, DIMENSIONS) }, [countRule(name, MAX_DIMENSIONS)])
}

function wrong(param: string, says: string): Refusal {
  return refuse('invalid_request', `'${param}' ${says}.`, { param })
}
