// Moderations: whether texts or images are of a kind that somebody does not want.

import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import type { PassedDialect, PassedRequest } from '#dialect/passed-dialect.ts'
import { openAiEndpoint } from '#dialect/openai-endpoint.ts'
import { PassAnswer } from '#dialect/pass-answer.ts'
import { listTap } from '#dialect/passed/list-tap.ts'
import { plainRequest } from '#dialect/passed/plain-request.ts'
import { isRecord, parseBody, readModel, type BodyText } from '#dialect/request-body.ts'

const MAX_INPUTS = 2048
const TAP = listTap(['results'], 'moderations')

export const MODERATIONS: PassedDialect = {
  ...openAiEndpoint('/moderations'),
  kind: 'moderation',
  family: 'moderations',
  makes: 'moderations',
  readRequest: readModerationRequest,
}

function readModerationRequest(text: BodyText, byteLength: number): PassedRequest | Refusal {
  const body = parseBody(text, byteLength)
  if (isRefusal(body)) return body
  const model = readModel(body.value)
  if (isRefusal(model)) return model
  const input = body.value['input']
  const problem = checkInput(input)
  if (problem !== undefined) return problem
  const inputs = Array.isArray(input) ? input : [input]
  const hasImage = inputs.some((item) => isRecord(item) && item['type'] !== 'text')
  return {
    ...plainRequest(model, body),
    inputCount: inputs.length,
    isLone: typeof input === 'string',
    references: () => (hasImage ? ['an image'] : []),
    newReader: () => new PassAnswer(TAP),
  }
}

function checkInput(input: unknown): Refusal | undefined {
  const wrong = (says: string) => refuse('invalid_request', `'input' ${says}.`, { param: 'input' })
  if (input === undefined || input === null) return wrong('is required')
  if (typeof input === 'string') return undefined
  if (!Array.isArray(input) || input.length === 0) return wrong('must be a string or a non-empty array')
  if (input.length > MAX_INPUTS) return wrong(`must have at most ${MAX_INPUTS} items`)
  const isList = input.every((item) => typeof item === 'string') || input.every(isRecord)
  return isList ? undefined : wrong('must be a string, an array of strings or an array of content parts')
}
