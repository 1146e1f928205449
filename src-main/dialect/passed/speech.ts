// Speech: a text read aloud, as the sound itself or in events. Sound tells no count: it costs what its text has characters, or tokens
// that are estimated from them.

import { isRefusal, type Refusal } from '#core/refusal.ts'
import { openAiEndpoint } from '#dialect/openai-endpoint.ts'
import { PassStream } from '#dialect/pass-stream.ts'
import type { PassedDialect, PassedRequest } from '#dialect/passed-dialect.ts'
import { mediaUsage } from '#dialect/passed/media-usage.ts'
import { PieceAnswer } from '#dialect/passed/piece-answer.ts'
import { plainRequest } from '#dialect/passed/plain-request.ts'
import { TypedEventTap } from '#dialect/passed/typed-events.ts'
import {
  checkFields,
  isRecord,
  numberRule,
  parseBody,
  readModel,
  requiredText,
  stringRule,
  type BodyText,
  type FieldRule,
} from '#dialect/request-body.ts'

/** About 20 tokens for each second, and 15 characters; read as slowly as can be asked for, four times as many. */
const LIKELY_TOKENS_PER_CHARACTER = 1.5
const MAX_TOKENS_PER_CHARACTER = 8
const FRAME_TOKENS = 64

const RULES: readonly FieldRule[] = [
  { name: 'voice', says: 'a string or an object', allows: (value) => typeof value === 'string' || isRecord(value) },
  stringRule('instructions'),
  stringRule('response_format'),
  numberRule('speed', 0.25, 4),
  {
    name: 'stream_format',
    says: "'audio' or 'sse'",
    allows: (value) => value === 'audio' || value === 'sse',
  },
]

export const SPEECH: PassedDialect = {
  ...openAiEndpoint('/audio/speech'),
  kind: 'speech',
  family: 'speech',
  makes: 'speech',
  readRequest: readSpeechRequest,
}

function readSpeechRequest(bodyText: BodyText, byteLength: number): PassedRequest | Refusal {
  const body = parseBody(bodyText, byteLength)
  if (isRefusal(body)) return body
  const model = readModel(body.value)
  if (isRefusal(model)) return model
  const input = requiredText(body.value, 'input')
  if (isRefusal(input)) return input
  const problem = checkFields(body.value, RULES)
  if (problem !== undefined) return problem
  const characters = charactersIn(input)
  const units = { character: characters }
  const isStream = body.value['stream_format'] === 'sse'
  const request = {
    ...plainRequest(model, body),
    isStream,
    inputCount: 1,
    isLone: false,
    references: () => [],
    units,
    output: {
      mostTokens: characters * MAX_TOKENS_PER_CHARACTER + FRAME_TOKENS,
      likelyTokens: Math.ceil(characters * LIKELY_TOKENS_PER_CHARACTER),
    },
  }
  if (!isStream) {
    const mediaTypes = /^(?:audio\/|application\/octet-stream)/
    return { ...request, mediaTypes, newReader: () => new PieceAnswer({ end: () => mediaUsage(undefined, units) }) }
  }
  const usage = (event: Readonly<Record<string, unknown>>) => mediaUsage(event['usage'], units)
  const newTap = () => new TypedEventTap({ ends: ['speech.audio.done'], times: 1, usage })
  return { ...request, newReader: () => new PassStream(newTap()) }
}

/** Both halves of a character that is written as two are one. */
function charactersIn(input: string): number {
  let count = 0
  for (let index = 0; index < input.length; index++) {
    const code = input.charCodeAt(index)
    if (code < 0xdc00 || code > 0xdfff) count += 1
  }
  return count
}
