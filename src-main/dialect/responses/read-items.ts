// The input items of the responses format as turns. Items that only OpenAI could make sense of are named, not refused: they
// are history, and a conversation has to go on without them.

import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import { isRecord, parseJson } from '#dialect/request-body.ts'
import { summaryIn } from '#dialect/responses/compaction.ts'
import { readAssistantContent, readToolOutput, readUserContent } from '#dialect/responses/read-content.ts'
import { LOCAL_SHELL, TOOL_SEARCH, ToolList } from '#dialect/responses/read-tools.ts'
import type { TurnList } from '#dialect/responses/turn-list.ts'
import { unwrapSeal } from '#dialect/seal.ts'
import { customArguments } from '#dialect/tools.ts'
import type { JsonObject, TextContent, UserContent } from '#dialect/turn.ts'

/** What reading items fills. */
export type ItemSinks = {
  readonly turns: TurnList
  readonly tools: ToolList
  readonly dropped: Set<string>
}

/** Reads the items in their order. A refusal names the member that is wrong. */
export function readItems(items: readonly unknown[], sinks: ItemSinks): Refusal | undefined {
  for (const [index, item] of items.entries()) {
    const param = `input[${index}]`
    if (!isRecord(item)) return wrong(param, 'must be an object')
    const problem = readItem(item, param, sinks)
    if (problem !== undefined) return problem
  }
  return undefined
}

function readItem(item: JsonObject, param: string, sinks: ItemSinks): Refusal | undefined {
  // The short form of a message has a role and no type.
  const type = item['type'] ?? ('role' in item ? 'message' : undefined)
  if (typeof type !== 'string' || type === '') return wrong(`${param}.type`, 'must be the type of an input item')
  switch (type) {
    case 'message':
      return readMessage(item, param, sinks)
    case 'reasoning':
      return readReasoning(item, sinks)
    case 'function_call':
    case 'custom_tool_call':
      return readCall(item, param, sinks)
    case 'local_shell_call':
      return readShellCall(item, param, sinks)
    case 'tool_search_call':
      return readSearchCall(item, param, sinks)
    case 'function_call_output':
    case 'custom_tool_call_output':
    case 'local_shell_call_output':
      return readOutput(item, param, sinks)
    case 'tool_search_output':
      return readSearchOutput(item, param, sinks)
    case 'compaction':
      return readSummary(item, sinks)
    case 'item_reference':
      return unknownItem(item['id'], param)
  }
  sinks.dropped.add(type.slice(0, MAX_TYPE_LENGTH))
  return undefined
}

/** OpenAI's status and words: clients that keep their history send all of it when they read them. */
function unknownItem(id: unknown, param: string): Refusal {
  const what = typeof id === 'string' && /^[\w-]{1,80}$/.test(id) ? `Item with id '${id}' not found` : 'Item not found'
  const message = `${what}. Answers are remembered for a short time only: set 'store' to false and send the items themselves.`
  return refuse('invalid_request', message, { param: `${param}.id`, status: 404 })
}

/** No type of an item is longer; a longer one would only fill the header that names it. */
const MAX_TYPE_LENGTH = 64

function readMessage(item: JsonObject, param: string, { turns }: ItemSinks): Refusal | undefined {
  const { role, content } = item
  const path = `${param}.content`
  if (role === 'assistant') {
    const parts = readAssistantContent(content, path)
    if (isRefusal(parts)) return parts
    turns.assistant(parts)
    return undefined
  }
  if (role !== 'user' && role !== 'system' && role !== 'developer') {
    return wrong(`${param}.role`, "must be 'user', 'assistant', 'system' or 'developer'")
  }
  const parts = readUserContent(content, path)
  if (isRefusal(parts)) return parts
  if (role === 'user') turns.user(parts)
  else {
    turns.system(parts.filter((part): part is TextContent => part.type === 'text'))
    // Only a user can show an image in the other formats.
    turns.user(parts.filter((part): part is Exclude<UserContent, TextContent> => part.type !== 'text'))
  }
  return undefined
}

/** One that only OpenAI could read is named. */
function readSummary(item: JsonObject, { turns, dropped }: ItemSinks): undefined {
  const text = summaryIn(item)
  if (text === undefined) dropped.add('compaction')
  else turns.user([{ type: 'text', text }])
}

function readReasoning(item: JsonObject, { turns }: ItemSinks): undefined {
  const content = joinTexts(item['content'])
  const text = content === '' ? joinTexts(item['summary']) : content
  const encrypted = item['encrypted_content']
  const sealed = typeof encrypted === 'string' ? unwrapSeal(encrypted, 'responses') : undefined
  if (text !== '' || sealed !== undefined) turns.assistant([{ type: 'reasoning', text, sealed }])
}

function joinTexts(parts: unknown): string {
  if (!Array.isArray(parts)) return ''
  return parts.flatMap((part) => (isRecord(part) && typeof part['text'] === 'string' ? part['text'] : [])).join('\n\n')
}

function readCall(item: JsonObject, param: string, { turns }: ItemSinks): Refusal | undefined {
  const { call_id: id, name, namespace } = item
  if (!isText(id)) return wrong(`${param}.call_id`, 'must be a non-empty string')
  if (!isText(name)) return wrong(`${param}.name`, 'must be a non-empty string')
  const isCustom = item['type'] === 'custom_tool_call'
  const input = item['input'] ?? ''
  if (isCustom && typeof input !== 'string') return wrong(`${param}.input`, 'must be a string')
  turns.call({
    type: 'tool-call',
    id,
    name,
    namespace: isText(namespace) ? namespace : undefined,
    arguments: typeof input === 'string' && isCustom ? customArguments(input) : objectText(item['arguments'] ?? ''),
  })
  return undefined
}

function readShellCall(item: JsonObject, param: string, { turns }: ItemSinks): Refusal | undefined {
  const id = callIdOf(item)
  if (id === undefined) return wrong(`${param}.call_id`, 'must be a non-empty string')
  if (!isRecord(item['action'])) return wrong(`${param}.action`, 'must be an object')
  const { type: _type, ...action } = item['action']
  turns.call({ type: 'tool-call', id, name: LOCAL_SHELL, arguments: JSON.stringify(action) })
  return undefined
}

function readSearchCall(item: JsonObject, param: string, { turns, dropped }: ItemSinks): Refusal | undefined {
  // A search that OpenAI ran itself has no call id, and nobody else can have asked for it.
  if (item['execution'] === 'server') {
    dropped.add(TOOL_SEARCH)
    return undefined
  }
  const id = callIdOf(item)
  if (id === undefined) return wrong(`${param}.call_id`, 'must be a non-empty string')
  turns.call({ type: 'tool-call', id, name: TOOL_SEARCH, arguments: objectText(item['arguments'] ?? '') })
  return undefined
}

function readOutput(item: JsonObject, param: string, { turns, dropped }: ItemSinks): Refusal | undefined {
  const id = callIdOf(item)
  if (id === undefined) return wrong(`${param}.call_id`, 'must be a non-empty string')
  const content = readToolOutput(item['output'], `${param}.output`, dropped)
  if (isRefusal(content)) return content
  turns.result({ callId: id, content, isError: false })
  return undefined
}

/** The tools that a search found can be called from here on. */
function readSearchOutput(item: JsonObject, param: string, { turns, tools }: ItemSinks): Refusal | undefined {
  const found = new ToolList()
  const problem = found.read(item['tools'], `${param}.tools`)
  if (problem !== undefined) return problem
  tools.addAll(found)
  const id = callIdOf(item)
  if (id === undefined) return undefined
  const names = found.tools.map(({ name, namespace }) => ({ namespace, name }))
  const text = JSON.stringify({ available_tools: names })
  turns.result({ callId: id, content: [{ type: 'text', text }], isError: false })
  return undefined
}

/** Older clients give only the item's own id with calls of the shell. */
function callIdOf(item: JsonObject): string | undefined {
  const { call_id: callId, id } = item
  if (isText(callId)) return callId
  return isText(id) ? id : undefined
}

/** Arguments as the JSON text of an object, which some providers insist on; models also write other things. */
function objectText(value: unknown): string {
  if (value === '') return '{}'
  if (typeof value !== 'string') return isRecord(value) ? JSON.stringify(value) : JSON.stringify({ _raw: value })
  return isRecord(parseJson(value)) ? value : JSON.stringify({ _raw: value })
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function wrong(param: string, says: string): Refusal {
  return refuse('invalid_request', `'${param}' ${says}.`, { param })
}
