// Reads a request in the messages format into the hub's words, for a provider of another dialect. Everything that the hub has
// no place for is named; nothing of Anthropic's that is newer than this code is a reason to refuse.

import { append } from '#core/append.ts'
import type { Quirks } from '#core/quirks.ts'
import { refuse, type Refusal } from '#core/refusal.ts'
import type { ClientRequest } from '#dialect/dialect.ts'
import { blocksOf, readHostedHistory, readPlain, readText, readTexts } from '#dialect/messages/read-blocks.ts'
import { readTools } from '#dialect/messages/read-tools.ts'
import { readMark, Reading } from '#dialect/messages/reading.ts'
import { readFormat, readReasoning } from '#dialect/messages/read-wishes.ts'
import { unwrapCallSeal } from '#dialect/call-seal.ts'
import { isRecord } from '#dialect/request-body.ts'
import { unwrapSeal, type Sealed } from '#dialect/seal.ts'
import type {
  AssistantContent,
  Conversation,
  JsonObject,
  ToolCall,
  ToolResult,
  Turn,
  UserContent,
} from '#dialect/turn.ts'

const MEMBERS = new Set([
  'model',
  'messages',
  'max_tokens',
  'stream',
  'system',
  'tools',
  'tool_choice',
  'stop_sequences',
  'temperature',
  'top_p',
  'top_k',
  'thinking',
  'output_config',
  'output_format',
  'metadata',
  'thread',
])

/** The conversation, or a refusal with the path of the member that is wrong. */
export function readMessagesConversation(request: ClientRequest): Conversation | Refusal {
  const { value } = request.body
  if (hasThread(request)) return threadRefusal()
  const reading = new Reading()
  const system = readTexts(value['system'], 'system', reading)
  const messages = Array.isArray(value['messages']) ? value['messages'].filter(isRecord) : []
  const turns = messages.flatMap((message, index) => readMessage(message, `messages[${index}]`, reading))
  const tools = readTools(value, reading)
  const sampling = {
    temperature: reading.optionalNumber(value, 'temperature', 'temperature'),
    topP: reading.optionalNumber(value, 'top_p', 'top_p'),
    topK: reading.optionalNumber(value, 'top_k', 'top_k'),
  }
  const stop = readStop(value['stop_sequences'], reading)
  const user = readUser(value['metadata'], reading)
  const reasoning = readReasoning(value, reading)
  const format = readFormat(value, reading)
  reading.dropOthers(value, '', MEMBERS)
  if (reading.refusal !== undefined) return reading.refusal
  return {
    turns: system.length === 0 ? turns : [{ role: 'system', content: system }, ...turns],
    ...tools,
    outputCap: request.outputCap,
    stop,
    sampling,
    reasoning,
    format,
    choices: 1,
    user,
    shared: {},
    dropped: reading.dropped,
  }
}

/** A provider that does not know threads may pass over them, and would answer without what was said before. */
export function checkMessagesPass(request: ClientRequest, { keepsThreads }: Quirks): Refusal | undefined {
  return hasThread(request) && !keepsThreads ? threadRefusal() : undefined
}

function hasThread({ body }: ClientRequest): boolean {
  const thread = body.value['thread']
  return thread !== undefined && thread !== null && thread !== false
}

/**
 * Threads are kept by Anthropic's servers: a request that goes on with one has neither history nor tools. Anthropic's SDK
 * knows these details, and sends the whole conversation instead.
 */
function threadRefusal(): Refusal {
  const text = "'thread' is not available for this model. Send the whole conversation in 'messages'."
  const details = { error_code: 'thread_unsupported_request', unsupported: ['thread'] }
  return refuse('invalid_request', text, { param: 'thread', details })
}

function readMessage(message: JsonObject, path: string, reading: Reading): readonly Turn[] {
  const at = `${path}.content`
  switch (message['role']) {
    case 'system': {
      const content = readTexts(message['content'], at, reading)
      return content.length === 0 ? [] : [{ role: 'system', content }]
    }
    case 'assistant': {
      const content = readAssistant(message['content'], at, reading)
      return content.length === 0 ? [] : [{ role: 'assistant', content }]
    }
    default:
      return readUserMessage(message['content'], at, reading)
  }
}

/** Results come first, whatever their place was: every provider wants them right behind the calls. */
function readUserMessage(given: unknown, path: string, reading: Reading): readonly Turn[] {
  const results: ToolResult[] = []
  const content: UserContent[] = []
  for (const [block, at] of blocksOf(given, path, reading)) {
    const type = String(block['type'])
    if (type === 'tool_result') append(results, readResult(block, at, reading))
    else if (type === 'tool_use') reading.refuse(at, 'is a tool call, which only an assistant can make')
    else append(content, readPlain(block, at, reading) ?? readOther(block, type, reading))
  }
  const turns: Turn[] = []
  if (results.length > 0) turns.push({ role: 'tool', results })
  if (content.length > 0) turns.push({ role: 'user', content })
  return turns
}

function readResult(block: JsonObject, path: string, reading: Reading): ToolResult[] {
  const callId = reading.name(block, 'tool_use_id', path)
  if (callId === undefined) return []
  const content = blocksOf(block['content'], `${path}.content`, reading).flatMap(
    ([part, at]) => readPlain(part, at, reading) ?? readOther(part, String(part['type']), reading),
  )
  return [{ callId, content, isError: block['is_error'] === true, cacheMark: readMark(block) }]
}

function readAssistant(given: unknown, path: string, reading: Reading): AssistantContent[] {
  const content: AssistantContent[] = []
  let callSeal: Sealed | undefined
  for (const [block, at] of blocksOf(given, path, reading)) {
    const type = String(block['type'])
    switch (type) {
      case 'text':
        append(content, readText(block, at, reading))
        break
      case 'thinking': {
        const seal = unwrapSeal(signatureOf(block['signature']), 'messages')
        const text = reading.text(block, 'thinking', at) ?? ''
        const own = unwrapCallSeal(seal)
        callSeal = own ?? callSeal
        const sealed = own === undefined ? seal : undefined
        if (text !== '' || sealed !== undefined) content.push({ type: 'reasoning', text, sealed })
        break
      }
      case 'redacted_thinking': {
        const sealed = unwrapSeal(reading.text(block, 'data', at) ?? '', 'messages-redacted')
        const own = unwrapCallSeal(sealed)
        if (own !== undefined) callSeal = own
        else if (sealed !== undefined) content.push({ type: 'reasoning', text: '', sealed })
        break
      }
      case 'tool_use':
        append(content, readCall(block, at, callSeal, reading))
        callSeal = undefined
        break
      case 'tool_result':
        reading.refuse(at, 'is a tool result, which only a user can give')
        break
      default:
        append(content, readOther(block, type, reading))
    }
  }
  return content
}

function readCall(block: JsonObject, path: string, sealed: Sealed | undefined, reading: Reading): ToolCall[] {
  const id = reading.name(block, 'id', path)
  const name = reading.name(block, 'name', path)
  const input = block['input'] ?? {}
  if (!isRecord(input)) reading.refuse(`${path}.input`, 'must be an object')
  if (id === undefined || name === undefined) return []
  const cacheMark = readMark(block)
  return [{ type: 'tool-call', id, name, arguments: JSON.stringify(input), sealed, cacheMark }]
}

/** Calls and results of tools that the provider ran are told as text, summaries too; what nobody else can use is dropped. */
function readOther(block: JsonObject, type: string, reading: Reading) {
  if (type === 'compaction') return typeof block['content'] === 'string' ? readHostedHistory(block) : []
  if (type.endsWith('tool_use') || type.endsWith('tool_result')) return readHostedHistory(block)
  reading.drop(type)
  return []
}

function signatureOf(signature: unknown): string {
  return typeof signature === 'string' ? signature : ''
}

function readStop(value: unknown, reading: Reading): readonly string[] {
  if (value === undefined || value === null) return []
  if (Array.isArray(value) && value.every((text) => typeof text === 'string'))
    return value.filter((text) => text !== '')
  reading.refuse('stop_sequences', 'must be an array of strings')
  return []
}

function readUser(metadata: unknown, reading: Reading): string | undefined {
  if (!isRecord(metadata)) return undefined
  reading.dropOthers(metadata, 'metadata.', new Set(['user_id']))
  const user = metadata['user_id']
  return typeof user === 'string' && user !== '' ? user : undefined
}
