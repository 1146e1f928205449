// Reads an embeddings request: text, several texts, tokens, or several lists of tokens.

import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import type { PassedRequest } from '#dialect/dialect.ts'
import { EmbeddingAnswerReader } from '#dialect/embeddings/read-answer.ts'
import { surveyInput } from '#dialect/input-survey.ts'
import { countTokens, plainRequest } from '#dialect/passed/plain-request.ts'
import {
  checkFields,
  countRule,
  parseBody,
  readModel,
  type BodyText,
  type FieldRule,
  type RequestBody,
} from '#dialect/request-body.ts'

/** What OpenAI accepts in one request. */
const MAX_INPUTS = 2048
const MAX_DIMENSIONS = 100_000

const RULES: readonly FieldRule[] = [
  { name: 'encoding_format', says: "'float' or 'base64'", allows: (value) => value === 'float' || value === 'base64' },
  countRule('dimensions', MAX_DIMENSIONS),
]

/** The request, or a refusal that names the member that is wrong. */
export function readEmbeddingRequest(text: BodyText, byteLength: number): PassedRequest | Refusal {
  const body = parseBody(text, byteLength)
  if (isRefusal(body)) return body
  const model = readModel(body.value)
  if (isRefusal(model)) return model
  const input = body.value['input']
  const problem = checkInput(input) ?? checkFields(body.value, RULES)
  if (problem !== undefined) return problem
  const format = body.value['encoding_format'] === 'base64' ? 'base64' : 'float'
  return {
    ...plainRequest(model, body),
    tokenCount: countTokens(input),
    extent: {
      inputs: Array.isArray(input) ? input.length : 1,
      isLone: typeof input === 'string',
      rereadBytes: 0,
      references: () => referencesIn(body.value),
    },
    newReader: () => new EmbeddingAnswerReader(format),
  }
}

/** Models of images take addresses and files where others take texts. */
function referencesIn({ input, ...others }: RequestBody['value']): readonly string[] {
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
