// Reads a chat completion request: checks the contract's rules for its parameters and finds what routing and metering need.
// Members that Farebox does not know are left alone; they are the provider's to judge.

import type { OutputCapField } from '#core/entities.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import type { ClientRequest } from '#dialect/dialect.ts'
import {
  booleanRule,
  checkFields,
  countRule,
  isRecord,
  numberRule,
  objectRule,
  parseBody,
  readModel,
  type FieldRule,
  type RequestBody,
  type BodyText,
} from '#dialect/request-body.ts'

const ROLES = ['system', 'developer', 'user', 'assistant', 'tool', 'function']
const TOOL_CHOICES = ['auto', 'none', 'required']
const MAX_CHOICES = 128
/** Clients that want no cap send the largest integer they know; it is lowered to the model's maximum. */
const MAX_CAP = Number.MAX_SAFE_INTEGER

const RULES: readonly FieldRule[] = [
  countRule('max_tokens', MAX_CAP),
  countRule('max_completion_tokens', MAX_CAP),
  booleanRule('stream'),
  objectRule('stream_options'),
  numberRule('temperature', 0, 2),
  numberRule('top_p', 0, 1),
  countRule('n', MAX_CHOICES),
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
]

/** The request, or a refusal that names the member that is wrong. */
export function readChatRequest(text: BodyText, byteLength: number): ClientRequest | Refusal {
  const body = parseBody(text, byteLength)
  if (isRefusal(body)) return body
  const { value } = body
  const model = readModel(value)
  if (isRefusal(model)) return model
  const problem = checkMessages(value['messages']) ?? checkFields(value, RULES) ?? checkCaps(value)
  if (problem !== undefined) return problem
  const streamOptions = value['stream_options']
  const outputCapField = capField(value)
  return {
    model,
    isStream: value['stream'] === true,
    wantsUsage: isRecord(streamOptions) && streamOptions['include_usage'] === true,
    outputCap: outputCapField === undefined ? undefined : Number(value[outputCapField]),
    outputCapName: outputCapField ?? 'max_tokens',
    choices: typeof value['n'] === 'number' ? value['n'] : 1,
    body,
  }
}

function capField(value: RequestBody['value']): OutputCapField | undefined {
  if (typeof value['max_completion_tokens'] === 'number') return 'max_completion_tokens'
  return typeof value['max_tokens'] === 'number' ? 'max_tokens' : undefined
}

/** Which of two caps a provider believes is anybody's guess, and one of them sets the price. */
function checkCaps(value: RequestBody['value']): Refusal | undefined {
  if (typeof value['max_tokens'] !== 'number' || typeof value['max_completion_tokens'] !== 'number') return undefined
  return refuse('invalid_request', "Give 'max_tokens' or 'max_completion_tokens', not both.", { param: 'max_tokens' })
}

function checkMessages(messages: unknown): Refusal | undefined {
  if (messages === undefined || messages === null) {
    return refuse('invalid_request', "'messages' is required.", { param: 'messages' })
  }
  if (!Array.isArray(messages) || messages.length === 0) {
    return refuse('invalid_request', "'messages' must be a non-empty array.", { param: 'messages' })
  }
  for (const [index, message] of messages.entries()) {
    const problem = problemOf(message)
    if (problem === undefined) continue
    const param = `messages[${index}]${problem.member}`
    return refuse('invalid_request', `'${param}' ${problem.says}.`, { param })
  }
  return undefined
}

/** What is wrong with a message, and with which member of it. */
function problemOf(message: unknown): { readonly member: string; readonly says: string } | undefined {
  if (!isRecord(message)) return { member: '', says: 'must be an object' }
  const { role, content } = message
  if (!ROLES.some((known) => known === role)) return { member: '.role', says: `must be one of ${ROLES.join(', ')}` }
  if (typeof content === 'string' || (Array.isArray(content) && content.every(isRecord))) return undefined
  if (content !== null && content !== undefined)
    return { member: '.content', says: 'must be a string or an array of content parts' }
  // An assistant turn may consist of tool calls or a refusal alone.
  return role === 'assistant' ? undefined : { member: '.content', says: 'is required' }
}
