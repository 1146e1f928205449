// Reads a request in the responses format: checks the contract's rules for its parameters and finds what routing and metering
// need. Members that Farebox does not know are left alone; they are the provider's to judge.

import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import type { AskedInPath, ClientRequest } from '#dialect/dialect.ts'
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
  type FieldRule,
  type RequestBody,
  type BodyText,
} from '#dialect/request-body.ts'
import { COMPACT, withCompactionWish } from '#dialect/responses/compaction.ts'
import { MESSAGE, readSocketMessage } from '#dialect/responses/socket-message.ts'

/** Clients that want no cap send the largest integer they know; it is lowered to the model's maximum. */
const MAX_CAP = Number.MAX_SAFE_INTEGER
const TOOL_CHOICES = ['auto', 'none', 'required']

const RULES: readonly FieldRule[] = [
  stringRule('instructions'),
  countRule('max_output_tokens', MAX_CAP),
  booleanRule('stream'),
  booleanRule('background'),
  numberRule('temperature', 0, 2),
  numberRule('top_p', 0, 1),
  {
    name: 'tools',
    says: 'an array of tool definitions',
    allows: (value) => Array.isArray(value) && value.every(isRecord),
  },
  {
    name: 'tool_choice',
    says: `${TOOL_CHOICES.map((choice) => `'${choice}'`).join(', ')} or an object`,
    allows: (value) => isRecord(value) || TOOL_CHOICES.some((choice) => choice === value),
  },
  objectRule('reasoning'),
]

/** The request, or a refusal that names the member that is wrong. */
export function readResponsesRequest(text: BodyText, byteLength: number, asked?: AskedInPath): ClientRequest | Refusal {
  const message = asked?.method === MESSAGE.method ? readSocketMessage(text, byteLength) : undefined
  if (isRefusal(message)) return message
  const body = message?.body ?? bodyOf(text, byteLength, asked)
  if (isRefusal(body)) return body
  const { value } = body
  const model = readModel(value)
  if (isRefusal(model)) return model
  const isUnsaid = message?.said.isWarmUp === true && isNothing(value['input'])
  const problem =
    (isUnsaid ? undefined : checkInput(value['input'])) ?? checkFields(value, RULES) ?? checkBackground(value)
  if (problem !== undefined) return problem
  const cap = value['max_output_tokens']
  return {
    model,
    isStream: value['stream'] === true,
    outputCap: typeof cap === 'number' ? cap : undefined,
    outputCapName: 'max_output_tokens',
    choices: 1,
    // The terminal event of this format always has it.
    wantsUsage: true,
    body,
    ...message?.said,
  }
}

function bodyOf(text: BodyText, byteLength: number, asked: AskedInPath | undefined): RequestBody | Refusal {
  return asked?.method === COMPACT.method ? withCompactionWish(text, byteLength) : parseBody(text, byteLength)
}

/** What a warm-up may say: nothing but tools and instructions. */
function isNothing(input: unknown): boolean {
  return input === undefined || (Array.isArray(input) && input.length === 0)
}

function checkInput(input: unknown): Refusal | undefined {
  const param = 'input'
  if (input === undefined || input === null) return refuse('invalid_request', "'input' is required.", { param })
  if (typeof input === 'string') {
    return input === '' ? refuse('invalid_request', "'input' must not be empty.", { param }) : undefined
  }
  if (!Array.isArray(input) || input.length === 0) {
    return refuse('invalid_request', "'input' must be a non-empty string or array of items.", { param })
  }
  const wrong = input.findIndex((item) => !isRecord(item))
  if (wrong === -1) return undefined
  return refuse('invalid_request', `'input[${wrong}]' must be an object.`, { param: `input[${wrong}]` })
}

/** An answer that is generated after the request was answered could never be metered. */
function checkBackground(value: RequestBody['value']): Refusal | undefined {
  if (value['background'] !== true) return undefined
  const message = "'background' is not supported. Leave it out, and use 'stream' for long answers."
  return refuse('invalid_request', message, { param: 'background' })
}
