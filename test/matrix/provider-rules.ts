// What providers of each dialect refuse requests for, as far as the form of the conversation goes. Throws for a request that
// would be answered with 400; shares no code with the writers.

import { isRecord, parseJson } from '#dialect/request-body.ts'
import type { JsonObject } from '#dialect/turn.ts'
import { messagesOfConverse } from './converse-rules.ts'
import type { ProviderName } from './pair.ts'
import { fail, list, record } from './rule-support.ts'

/** `issued` are the seals that the provider gave out itself; without it seals are not looked at. */
export function checkProviderRules(provider: ProviderName, text: string, issued?: ReadonlySet<string>): void {
  const body = record(parseJson(text))
  if (text.includes('farebox1.')) fail('a seal in our wrapping is sent to a provider')
  const foreign = issued === undefined ? undefined : sealsIn(body).find((seal) => !issued.has(seal))
  if (foreign !== undefined) fail(`a seal that it did not give out: ${foreign}`)
  switch (provider) {
    case 'chat-completions':
      return checkChat(body)
    case 'messages':
      return checkMessages(body)
    case 'responses':
      return checkResponses(body)
    case 'gemini':
      return checkGemini(body)
    case 'bedrock-converse':
      return checkMessages(messagesOfConverse(body))
  }
}

const NAME = /^[a-zA-Z0-9_-]{1,64}$/
/** OpenAI's bound in chat completions is shorter. */
const CALL_ID = /^[a-zA-Z0-9_-]{1,64}$/
const CHAT_CALL_ID = /^[a-zA-Z0-9_-]{1,40}$/
const SEAL_MEMBERS = new Set([
  'signature',
  'redactedContent',
  'encrypted_content',
  'thoughtSignature',
  'thought_signature',
])
/** The types whose `data` is a seal. */
const SEALED_TYPES = ['redacted_thinking', 'reasoning.encrypted']
/** What Google documents for calls whose signature nobody has. */
const NO_SIGNATURE = 'skip_thought_signature_validator'

/** Everything that stands in a member for seals, wherever it is. */
function sealsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(sealsIn)
  if (!isRecord(value)) return []
  return Object.entries(value).flatMap(([name, member]) => {
    if (typeof member !== 'string') return sealsIn(member)
    const isSeal = SEAL_MEMBERS.has(name) || (name === 'data' && SEALED_TYPES.includes(String(value['type'])))
    return isSeal && member !== '' && member !== NO_SIGNATURE ? [member] : []
  })
}

/** The ids of one request's calls: of the right form, and no two the same. */
class Ids {
  readonly #seen = new Set<unknown>()
  readonly #form: RegExp

  constructor(form: RegExp) {
    this.#form = form
  }

  add(id: unknown): void {
    if (typeof id !== 'string' || !this.#form.test(id)) fail(`an id that it does not take: ${String(id)}`)
    if (this.#seen.has(id)) fail(`two calls have the id ${id}`)
    this.#seen.add(id)
  }
}

function checkChat(body: JsonObject): void {
  const messages = list(body['messages'])
  if (messages.length === 0) fail('no messages')
  let open: unknown[] = []
  const ids = new Ids(CHAT_CALL_ID)
  for (const message of messages) {
    const { role, content } = message
    if (role === 'tool') {
      const at = open.indexOf(message['tool_call_id'])
      if (at === -1) fail('a tool message answers no call of the message before')
      open.splice(at, 1)
      if (typeof content !== 'string' && !isFilled(content)) fail('a tool message without content')
      continue
    }
    if (open.length > 0) fail('a call is not answered')
    const calls = list(message['tool_calls'])
    if ('tool_calls' in message && calls.length === 0) fail('tool_calls is empty')
    if (content === null ? calls.length === 0 : typeof content !== 'string' && !isFilled(content))
      fail(`${String(role)}: no content`)
    for (const part of list(content)) if (part['type'] === 'text' && part['text'] === '') fail('an empty text')
    open = calls.map((call) => call['id'])
    for (const call of calls) {
      ids.add(call['id'])
      const called = record(call['function'])
      if (!NAME.test(String(called['name']))) fail('a name that is too long')
      if (!isRecord(parseJson(String(called['arguments'])))) fail('arguments that are no object')
    }
  }
  if (open.length > 0) fail('the last call is not answered')
  const tools = list(body['tools'])
  if ('tools' in body && tools.length === 0) fail('tools is empty')
  if ('tool_choice' in body && tools.length === 0) fail('tool_choice without tools')
  checkNames(tools.map((tool) => record(tool['function'])['name']))
  if (list(body['stop']).length > 4) fail('too many stop sequences')
}

function checkMessages(body: JsonObject): void {
  const messages = list(body['messages'])
  if (messages[0]?.['role'] !== 'user') fail('the first message is not of the user')
  let open: unknown[] = []
  let before: unknown
  const ids = new Ids(CALL_ID)
  for (const { role, content } of messages) {
    if (role === before) fail('two messages of the same role')
    before = role
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : list(content)
    if (blocks.length === 0) fail('a message without content')
    const answers = blocks.filter((block) => block['type'] === 'tool_result').map((block) => block['tool_use_id'])
    if (!isSame(open, answers)) fail('results are not those of the calls before')
    const firstOther = blocks.findIndex((block) => block['type'] !== 'tool_result')
    if (firstOther !== -1 && blocks.slice(firstOther).some((block) => block['type'] === 'tool_result'))
      fail('results come late')
    for (const block of blocks) checkMessagesBlock(block)
    open = blocks.filter((block) => block['type'] === 'tool_use').map((block) => block['id'])
    for (const id of open) ids.add(id)
  }
  if (open.length > 0) fail('the last call is not answered')
  for (const block of list(body['system'])) checkMessagesBlock(block)
  for (const tool of list(body['tools'])) {
    const schema = record(tool['input_schema'])
    if (schema['type'] !== 'object') fail('input_schema is no object')
    for (const word of ['anyOf', 'oneOf', 'allOf']) if (word in schema) fail(`${word} at the top of input_schema`)
  }
  checkNames(list(body['tools']).map((tool) => tool['name']))
  if ('tool_choice' in body && list(body['tools']).length === 0) fail('tool_choice without tools')
  if (JSON.stringify(body).split('"cache_control"').length > 5) fail('more than 4 cache marks')
  const cap = Number(body['max_tokens'])
  if (!(cap >= 1)) fail('no max_tokens')
  const thinking = record(body['thinking'])
  if (
    thinking['type'] === 'enabled' &&
    !(Number(thinking['budget_tokens']) >= 1024 && Number(thinking['budget_tokens']) < cap)
  )
    fail('a thinking budget that does not fit')
  checkLoop(messages, thinking['type'] === 'enabled' || thinking['type'] === 'adaptive')
}

/** "When `thinking` is enabled, a final `assistant` message must start with a thinking block." */
function checkLoop(messages: readonly JsonObject[], isThinking: boolean): void {
  const isLoop = list(messages.at(-1)?.['content']).some((block) => block['type'] === 'tool_result')
  if (!isThinking || !isLoop) return
  const last = messages.findLast((message) => message['role'] === 'assistant')
  const first = list(last?.['content'])[0]?.['type']
  if (first !== 'thinking' && first !== 'redacted_thinking') fail('thinking is on, and the loop has none')
}

function checkMessagesBlock(block: JsonObject): void {
  const { type } = block
  if (type === 'text' && String(block['text']).trim() === '') fail('an empty text')
  if (type === 'thinking' && String(block['signature']) === '') fail('thinking without a signature')
  if (type === 'tool_use') {
    if (!isRecord(block['input'])) fail('an input that is no object')
    if (!NAME.test(String(block['name']))) fail('a name that is too long')
  }
  for (const inner of type === 'tool_result' ? list(block['content']) : []) checkMessagesBlock(inner)
}

function checkResponses(body: JsonObject): void {
  const items = list(body['input'])
  if (items.length === 0) fail('no input')
  const calls = new Set<unknown>()
  const ids = new Ids(CALL_ID)
  for (const [index, item] of items.entries()) {
    const { type } = item
    if (type === 'message' && !isText(item['content']) && list(item['content']).length === 0)
      fail('a message without content')
    if (type === 'function_call') {
      if (!isRecord(parseJson(String(item['arguments'])))) fail('arguments that are no object')
      if (!NAME.test(String(item['name']))) fail('a name that is too long')
      ids.add(item['call_id'])
      calls.add(item['call_id'])
    }
    if (type === 'function_call_output' && !calls.delete(item['call_id'])) fail('an output without its call')
    if (type === 'reasoning' && index === items.length - 1) fail('reasoning that nothing follows')
    if (type === 'reasoning' && body['store'] === false && !isText(item['encrypted_content']))
      fail('reasoning that it does not know: it keeps nothing')
    if (type === 'reasoning' && !Array.isArray(item['summary'])) fail('reasoning without a summary')
    if (item['role'] === 'assistant') checkAnswerItem(item)
    for (const part of list(item['content'])) if (part['type'] === 'input_audio') fail('sound in a message')
    if ('id' in item && String(item['id']).length > 64) fail('an id that is too long')
  }
  if (calls.size > 0) fail('a call is not answered')
  checkNames(list(body['tools']).map((tool) => tool['name']))
}

/** What OpenAI's published schema wants of an answer that is sent back, unless it is a plain text. */
function checkAnswerItem({ id, status, content }: JsonObject): void {
  if (typeof content === 'string') return
  if (!isText(id) || !isText(status)) fail('an answer without its id and status')
  for (const part of list(content)) {
    if (part['type'] === 'output_text' && !Array.isArray(part['annotations'])) fail('an answer without annotations')
  }
}

function checkGemini(body: JsonObject): void {
  const contents = list(body['contents'])
  if (contents[0]?.['role'] !== 'user') fail('the first content is not of the user')
  let calls: unknown[] = []
  let before: unknown
  const ids = new Ids(CALL_ID)
  for (const { role, parts } of contents) {
    if (role === before) fail('two contents of the same role')
    before = role
    if (list(parts).length === 0) fail('a content without parts')
    const answers = list(parts).flatMap((part) =>
      'functionResponse' in part ? [record(part['functionResponse'])['name']] : [],
    )
    if (answers.join() !== calls.join()) fail('responses are not those of the calls before')
    for (const part of list(parts)) {
      if (part['text'] === '' && !('thoughtSignature' in part)) fail('an empty text')
      if ('functionResponse' in part && !isRecord(record(part['functionResponse'])['response']))
        fail('a response that is no object')
      if ('functionCall' in part && !isRecord(record(part['functionCall'])['args'] ?? {}))
        fail('args that are no object')
      const id = record(part['functionCall'])['id']
      if (id !== undefined) ids.add(id)
    }
    calls = list(parts).flatMap((part) => ('functionCall' in part ? [record(part['functionCall'])['name']] : []))
  }
  if (calls.length > 0) fail('the last call is not answered')
  const declarations = list(body['tools']).flatMap((tool) => list(tool['functionDeclarations']))
  checkNames(declarations.map((tool) => tool['name']))
  for (const { parameters } of declarations) if (isRecord(parameters)) checkGeminiSchema(parameters)
}

/** The keywords of a schema that Gemini knows. */
const GEMINI_WORDS = new Set(
  `type format title description nullable enum items properties required minItems maxItems minLength maxLength pattern
  minimum maximum anyOf propertyOrdering minProperties maxProperties default example`.split(/\s+/),
)

const GEMINI_TYPES = ['STRING', 'NUMBER', 'INTEGER', 'BOOLEAN', 'ARRAY', 'OBJECT']

function checkGeminiSchema(schema: JsonObject): void {
  for (const [word, value] of Object.entries(schema)) {
    if (!GEMINI_WORDS.has(word)) fail(`'${word}' in a schema`)
    if (word === 'type' && !GEMINI_TYPES.includes(String(value))) fail(`'${String(value)}' as a type`)
    if (word === 'properties') for (const inner of Object.values(record(value))) checkGeminiSchema(record(inner))
    if (word === 'items') checkGeminiSchema(record(value))
    if (word === 'anyOf') for (const inner of list(value)) checkGeminiSchema(inner)
    if (word === 'enum' && Array.isArray(value) && !value.every((one) => typeof one === 'string'))
      fail('an enum of others than texts')
  }
}

function checkNames(names: readonly unknown[]): void {
  for (const name of names) if (!NAME.test(String(name))) fail(`a tool has the name '${String(name)}'`)
  if (new Set(names).size < names.length) fail('two tools have the same name')
}

/** Whether two lists hold the same, in any order. */
function isSame(left: readonly unknown[], right: readonly unknown[]): boolean {
  return left.length === right.length && new Set([...left, ...right]).size === new Set(left).size
}

function isFilled(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}
