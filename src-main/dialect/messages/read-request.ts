// Reads a request in the messages format: checks the contract's rules for its members and finds what routing and metering
// need. Members that Farebox does not know are left alone: Anthropic adds new ones often, and they are the provider's to judge.

import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import type { ClientRequest } from '#dialect/dialect.ts'
import {
  booleanRule,
  checkFields,
  countRule,
  isRecord,
  numberRule,
  parseBody,
  readModel,
  type FieldRule,
  type RequestBody,
  type BodyText,
} from '#dialect/request-body.ts'

/** `system` came to messages later than to the member of that name: instructions in the middle of a conversation. */
const ROLES = ['user', 'assistant', 'system']
const TOOL_CHOICES = ['auto', 'any', 'tool', 'none']

const RULES: readonly FieldRule[] = [
  countRule('max_tokens', Number.MAX_SAFE_INTEGER),
  booleanRule('stream'),
  numberRule('temperature', 0, 1),
  numberRule('top_p', 0, 1),
  {
    name: 'system',
    says: 'a string or an array of text blocks',
    allows: (value) => typeof value === 'string' || (Array.isArray(value) && value.every(isRecord)),
  },
  {
    name: 'tools',
    says: 'an array of tool definitions',
    allows: (value) => Array.isArray(value) && value.every(isRecord),
  },
  { name: 'tool_choice', says: `an object whose type is one of ${TOOL_CHOICES.join(', ')}`, allows: isToolChoice },
]

/** The request, or a refusal that names the member that is wrong. */
export function readMessagesRequest(text: BodyText, byteLength: number): ClientRequest | Refusal {
  const request = readCountRequest(text, byteLength)
  if (isRefusal(request) || request.outputCap !== undefined) return request
  return refuse('invalid_request', "'max_tokens' is required: the most tokens that the answer may have.", {
    param: 'max_tokens',
  })
}

/** A request to count its input: the same body, but nothing is generated, so that no cap is needed. */
export function readCountRequest(text: BodyText, byteLength: number): ClientRequest | Refusal {
  const body = parseBody(text, byteLength)
  if (isRefusal(body)) return body
  const { value } = body
  const model = readModel(value)
  if (isRefusal(model)) return model
  const problem = checkMessages(value['messages']) ?? checkFields(value, RULES) ?? checkToolName(value)
  if (problem !== undefined) return problem
  const cap = value['max_tokens']
  return {
    model,
    isStream: value['stream'] === true,
    outputCap: typeof cap === 'number' ? cap : undefined,
    outputCapName: 'max_tokens',
    choices: 1,
    wantsUsage: true,
    body,
  }
}

function isToolChoice(value: unknown): boolean {
  return isRecord(value) && TOOL_CHOICES.some((type) => type === value['type'])
}

function checkToolName(value: RequestBody['value']): Refusal | undefined {
  const choice = value['tool_choice']
  if (!isRecord(choice) || choice['type'] !== 'tool') return undefined
  if (typeof choice['name'] === 'string' && choice['name'] !== '') return undefined
  const param = 'tool_choice.name'
  return refuse('invalid_request', `'${param}' must be the name of a tool where the type is 'tool'.`, { param })
}

function checkMessages(messages: unknown): Refusal | undefined {
  const param = 'messages'
  if (messages === undefined || messages === null)
    return refuse('invalid_request', "'messages' is required.", { param })
  if (!Array.isArray(messages) || messages.length === 0) {
    return refuse('invalid_request', "'messages' must be a non-empty array.", { param })
  }
  for (const [index, message] of messages.entries()) {
    const problem = checkMessage(message, `messages[${index}]`)
    if (problem !== undefined) return problem
  }
  return undefined
}

function checkMessage(message: unknown, path: string): Refusal | undefined {
  if (!isRecord(message)) return refuse('invalid_request', `'${path}' must be an object.`, { param: path })
  if (!ROLES.some((known) => known === message['role'])) {
    const param = `${path}.role`
    return refuse('invalid_request', `'${param}' must be one of ${ROLES.join(', ')}.`, { param })
  }
  const content = message['content']
  if (typeof content === 'string' || (Array.isArray(content) && content.every(isRecord))) return undefined
  const param = `${path}.content`
  const says =
    content === undefined || content === null ? 'is required' : 'must be a string or an array of content blocks'
  return refuse('invalid_request', `'${param}' ${says}.`, { param })
}
