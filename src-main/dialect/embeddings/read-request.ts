// Reads an embeddings request: text, several texts, tokens, or several lists of tokens.

import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import type { EmbeddingRequest, EmbeddingWish } from '#dialect/embedding.ts'
import { surveyInput } from '#dialect/input-survey.ts'
import { editObject } from '#dialect/json-text.ts'
import {
  checkFields,
  countRule,
  parseBody,
  readModel,
  type FieldRule,
  type RequestBody,
  type BodyText,
} from '#dialect/request-body.ts'
import { isNothing } from '#dialect/survey.ts'
import { countTokens } from '#dialect/token-lists.ts'

/** What OpenAI accepts in one request. */
const MAX_INPUTS = 2048
const MAX_DIMENSIONS = 100_000

const RULES: readonly FieldRule[] = [
  { name: 'encoding_format', says: "'float' or 'base64'", allows: (value) => value === 'float' || value === 'base64' },
  countRule('dimensions', MAX_DIMENSIONS),
]

/** The request, or a refusal that names the member that is wrong. */
export function readEmbeddingRequest(text: BodyText, byteLength: number): EmbeddingRequest | Refusal {
  const body = parseBody(text, byteLength)
  if (isRefusal(body)) return body
  const model = readModel(body.value)
  if (isRefusal(model)) return model
  const input = body.value['input']
  const problem = checkInput(input) ?? checkFields(body.value, RULES)
  if (problem !== undefined) return problem
  return {
    model,
    form: body.value['encoding_format'] === 'base64' ? 'base64' : 'float',
    tokenCount: countTokens(input),
    inputCount: Array.isArray(input) ? input.length : 1,
    isLone: typeof input === 'string',
    references: () => referencesIn(body),
    body,
  }
}

/** The request's text for the provider: only the model's name is edited. */
export function editEmbeddingRequest(request: EmbeddingRequest, upstreamModel: string): string {
  const changes = new Map<string, string>()
  if (upstreamModel !== request.model) changes.set('model', JSON.stringify(upstreamModel))
  return editObject(request.body.text, request.body.scan, changes)
}

/** The request for a provider of another format. Who made use of it is for OpenAI's endpoint alone. */
export function readEmbeddingWish({ body: { value } }: EmbeddingRequest): EmbeddingWish {
  const { input, dimensions } = value
  const known = new Set(['model', 'input', 'dimensions', 'encoding_format'])
  return {
    inputs: isLoneInput(input) ? [input] : (input as EmbeddingWish['inputs']),
    dimensions: typeof dimensions === 'number' ? dimensions : undefined,
    dropped: Object.keys(value).filter((name) => !known.has(name) && !isNothing(value[name])),
  }
}

function isLoneInput(input: unknown): input is string | readonly number[] {
  return typeof input === 'string' || (Array.isArray(input) && input.every(isToken))
}

/** Models of images take addresses and files where others take texts. */
function referencesIn({ value }: RequestBody): readonly string[] {
  const { input, ...others } = value
  const inputs = Array.isArray(input) ? input : [input]
  const isAddress = inputs.some((text) => typeof text === 'string' && /^\s*(?:https?|data|gs|s3|file):\S*$/i.test(text))
  return [...(isAddress ? ['an input by its address'] : []), ...surveyInput(others).references]
}

function checkInput(input: unknown): Refusal | undefined {
  const wrong = (says: string) => refuse('invalid_request', `'input' ${says}.`, { param: 'input' })
  if (input === undefined || input === null) return wrong('is required')
  if (typeof input === 'string') return input === '' ? wrong('must not be empty') : undefined
  if (!Array.isArray(input)) return wrong('must be a string or an array')
  if (input.length === 0) return wrong('must not be empty')
  if (input.every(isToken)) return undefined
  if (input.length > MAX_INPUTS) return wrong(`must have at most ${MAX_INPUTS} items`)
  if (input.every((item) => typeof item === 'string')) {
    return input.includes('') ? wrong('must not contain an empty string') : undefined
  }
  if (input.every((item) => Array.isArray(item) && item.length > 0 && item.every(isToken))) return undefined
  return wrong('must be a string, an array of strings, an array of tokens or an array of token arrays')
}

function isToken(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0
}
