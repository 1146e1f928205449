// Completions of a text, with what comes behind it where a tool fills in the middle. Chat models of many servers serve them too.

import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import { bytesOfTokens } from '#core/token-bounds.ts'
import { ChatTap } from '#dialect/chat-completions/tap-stream.ts'
import type { PassedDialect, PassedEdits, PassedRequest } from '#dialect/passed-dialect.ts'
import { editObject } from '#dialect/json-text.ts'
import { openAiEndpoint } from '#dialect/openai-endpoint.ts'
import { PassAnswer } from '#dialect/pass-answer.ts'
import { PassStream } from '#dialect/pass-stream.ts'
import { COMPLETION_ANSWER_TAP, TEXT_CHOICES } from '#dialect/passed/completion-taps.ts'
import { plainRequest, renamed } from '#dialect/passed/plain-request.ts'
import { countTokens } from '#dialect/token-lists.ts'
import {
  booleanRule,
  checkFields,
  countRule,
  isRecord,
  numberRule,
  objectRule,
  parseBody,
  readModel,
  stringRule,
  type BodyText,
  type FieldRule,
  type RequestBody,
} from '#dialect/request-body.ts'

/** What the format says of a request without a cap. Some servers would generate without end. */
const DEFAULT_CAP = 16
const MAX_CHOICES = 128
const MAX_PROMPTS = 2048

const RULES: readonly FieldRule[] = [
  countRule('max_tokens', Number.MAX_SAFE_INTEGER),
  booleanRule('stream'),
  objectRule('stream_options'),
  numberRule('temperature', 0, 2),
  numberRule('top_p', 0, 1),
  countRule('n', MAX_CHOICES),
  countRule('best_of', MAX_CHOICES),
  booleanRule('echo'),
  stringRule('suffix'),
]

export const COMPLETIONS: PassedDialect = {
  ...openAiEndpoint('/completions'),
  kind: 'chat',
  family: 'completions',
  operation: 'text_completion',
  makes: 'completions of texts',
  readRequest: readCompletionRequest,
}

function readCompletionRequest(text: BodyText, byteLength: number): PassedRequest | Refusal {
  const body = parseBody(text, byteLength)
  if (isRefusal(body)) return body
  const { value } = body
  const model = readModel(value)
  if (isRefusal(model)) return model
  const problem = checkPrompt(value['prompt']) ?? checkFields(value, RULES)
  if (problem !== undefined) return problem
  const prompts = promptsIn(value['prompt'])
  const isStream = value['stream'] === true
  const outputCap = typeof value['max_tokens'] === 'number' ? value['max_tokens'] : DEFAULT_CAP
  // Of the best ones all are generated, and paid for.
  const answers = Math.max(countIn(value['n']), countIn(value['best_of']))
  const tap = { wantsUsage: wantsUsage(value), choices: prompts * countIn(value['n']), form: TEXT_CHOICES }
  return {
    ...plainRequest(model, body),
    isStream,
    outputCap,
    choices: prompts * answers,
    ...(value['echo'] === true ? { echoedBytes: echoedBytes(value['prompt'], byteLength) * answers } : {}),
    tokenCount: value['suffix'] === undefined ? countTokens(value['prompt']) : undefined,
    inputCount: prompts,
    isLone: prompts === 1,
    references: () => [],
    edit: (edits) => editCompletion({ model, body, isStream }, edits),
    newReader: () => (isStream ? new PassStream(new ChatTap(tap)) : new PassAnswer(COMPLETION_ANSWER_TAP)),
  }
}

/** The request with the cap that it is held for, and the switch that makes a provider report usage in a stream. */
function editCompletion(
  { model, body, isStream }: Pick<PassedRequest, 'model' | 'body' | 'isStream'>,
  { upstreamModel, outputCap, quirks }: PassedEdits,
): string {
  const changes = renamed(model, upstreamModel)
  if (outputCap !== undefined && outputCap !== body.value['max_tokens']) changes.set('max_tokens', String(outputCap))
  if (isStream && !wantsUsage(body.value) && quirks.streamUsage) {
    const options = body.value['stream_options']
    changes.set('stream_options', JSON.stringify({ ...(isRecord(options) ? options : {}), include_usage: true }))
  }
  return editObject(body.text, body.scan, changes)
}

function wantsUsage({ stream_options: options }: RequestBody['value']): boolean {
  return isRecord(options) && options['include_usage'] === true
}

/** A prompt of tokens is repeated as text. */
function echoedBytes(prompt: unknown, byteLength: number): number {
  const tokens = countTokens(prompt)
  return tokens === undefined ? byteLength : bytesOfTokens(tokens)
}

function countIn(value: unknown): number {
  return typeof value === 'number' ? value : 1
}

function promptsIn(prompt: unknown): number {
  return Array.isArray(prompt) && typeof prompt[0] !== 'number' ? prompt.length : 1
}

function checkPrompt(prompt: unknown): Refusal | undefined {
  const wrong = (says: string) => refuse('invalid_request', `'prompt' ${says}.`, { param: 'prompt' })
  if (prompt === undefined || prompt === null) return wrong('is required')
  if (typeof prompt === 'string') return undefined
  if (!Array.isArray(prompt)) return wrong('must be a string or an array')
  if (prompt.length === 0) return wrong('must not be empty')
  if (prompt.every(isToken)) return undefined
  if (prompt.length > MAX_PROMPTS) return wrong(`must have at most ${MAX_PROMPTS} items`)
  if (prompt.every((item) => typeof item === 'string')) return undefined
  if (prompt.every((item) => Array.isArray(item) && item.length > 0 && item.every(isToken))) return undefined
  return wrong('must be a string, an array of strings, an array of tokens or an array of token arrays')
}

function isToken(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0
}
