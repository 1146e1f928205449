// Reads a request in the Gemini format into the hub's words, for a provider of another dialect. Everything that the hub has no place for
// is named; nothing of Google's that is newer than this code is a reason to refuse.

import { append } from '#core/append.ts'
import type { Refusal } from '#core/refusal.ts'
import type { ClientRequest } from '#dialect/dialect.ts'
import { CallPairs } from '#dialect/gemini/call-pairs.ts'
import { readSignature } from '#dialect/gemini/client-seal.ts'
import { field } from '#dialect/gemini/fields.ts'
import { readResult, type PartReading } from '#dialect/gemini/read-results.ts'
import { dropOthers, dropUnknown, readHosted, readPlain } from '#dialect/gemini/read-parts.ts'
import { readTools } from '#dialect/gemini/read-tools.ts'
import { readGeneration } from '#dialect/gemini/read-wishes.ts'
import { Reading } from '#dialect/messages/reading.ts'
import { isRecord } from '#dialect/request-body.ts'
import type {
  AssistantContent,
  Conversation,
  JsonObject,
  TextContent,
  ToolResult,
  Turn,
  UserContent,
} from '#dialect/turn.ts'

const MEMBERS = new Set(
  'model stream contents systemInstruction generationConfig tools toolConfig cachedContent'.split(' '),
)

/** The conversation, or a refusal with the path of the member that is wrong. */
export function readGeminiConversation(request: ClientRequest): Conversation | Refusal {
  const { value } = request.body
  const reading = new Reading()
  const cached = field(value, 'cachedContent')
  if (cached !== undefined && cached !== '') {
    reading.refuse('cachedContent', "names stored content, which this model's provider cannot read; send all of it")
  }
  const instruction = field(value, 'systemInstruction')
  const system = isRecord(instruction) ? readTexts(instruction, 'systemInstruction', reading) : []
  const turns = readContents(field(value, 'contents'), reading)
  const tools = readTools(value, reading)
  const config = field(value, 'generationConfig')
  const generation = readGeneration(isRecord(config) ? config : {}, reading)
  dropOthers(value, '', MEMBERS, reading)
  if (reading.refusal !== undefined) return reading.refusal
  return {
    turns: system.length === 0 ? turns : [{ role: 'system', content: system }, ...turns],
    ...tools,
    allowsParallelTools: undefined,
    outputCap: request.outputCap,
    ...generation,
    choices: request.choices,
    user: undefined,
    shared: {},
    dropped: reading.dropped,
  }
}

function readContents(given: unknown, reading: Reading): Turn[] {
  const turns: Turn[] = []
  const pairs = new CallPairs()
  const contents = Array.isArray(given) ? given.filter(isRecord) : []
  /** What the model says, for as long as it does: Google's own chats keep each chunk of an answer as a content. */
  let said: AssistantContent[] | undefined
  for (const [index, content] of contents.entries()) {
    const path = `contents[${index}]`
    const { role } = content
    if (role !== 'model') {
      said = undefined
      if (role === 'system') append(turns, systemTurn(readTexts(content, path, reading)))
      else append(turns, readUserParts(content, path, { pairs, reading }))
      continue
    }
    if (said === undefined) {
      said = []
      turns.push({ role: 'assistant', content: said })
      pairs.nextTurn()
    }
    for (const part of readModelParts(content, path, { pairs, reading })) addPart(said, part)
  }
  return turns
}

function systemTurn(content: readonly TextContent[]): Turn[] {
  return content.length === 0 ? [] : [{ role: 'system', content }]
}

/** Pieces of one text are one text again, and so are those of reasoning up to the piece that seals it. */
function addPart(said: AssistantContent[], part: AssistantContent): void {
  const last = said.at(-1)
  if (last?.type === 'text' && part.type === 'text') said[said.length - 1] = { ...last, text: last.text + part.text }
  else if (last?.type === 'reasoning' && part.type === 'reasoning' && last.sealed === undefined) {
    said[said.length - 1] = { ...part, text: last.text + part.text }
  } else said.push(part)
}

function partsOf({ parts }: JsonObject, path: string): (readonly [JsonObject, string])[] {
  if (!Array.isArray(parts)) return []
  return parts.flatMap((part: unknown, index) => (isRecord(part) ? [[part, `${path}.parts[${index}]`] as const] : []))
}

/** Texts alone, as instructions are; other parts are dropped by name. */
function readTexts(content: JsonObject, path: string, reading: Reading): TextContent[] {
  return partsOf(content, path).flatMap(([part]): TextContent[] => {
    const { text } = part
    if (typeof text === 'string') return text === '' ? [] : [{ type: 'text', text }]
    reading.drop('systemInstruction')
    return []
  })
}

/** Results come first, whatever their place was: every provider wants them right behind the calls. */
function readUserParts(content: JsonObject, path: string, { pairs, reading }: PartReading): Turn[] {
  const results: ToolResult[] = []
  const said: UserContent[] = []
  for (const [part, at] of partsOf(content, path)) {
    dropUnknown(part, reading)
    const response = field(part, 'functionResponse')
    if (isRecord(response)) append(results, readResult(response, `${at}.functionResponse`, { pairs, reading }))
    else if (isRecord(field(part, 'functionCall')))
      reading.refuse(at, 'is a function call, which only a model can make')
    else append(said, readPlain(part, at, reading) ?? [])
  }
  const turns: Turn[] = []
  if (results.length > 0) turns.push({ role: 'tool', results })
  if (said.length > 0) turns.push({ role: 'user', content: said })
  return turns
}

function readModelParts(content: JsonObject, path: string, { pairs, reading }: PartReading): AssistantContent[] {
  const read: AssistantContent[] = []
  for (const [part, at] of partsOf(content, path)) {
    dropUnknown(part, reading)
    const sealed = readSignature(field(part, 'thoughtSignature'))
    const { text } = part
    const call = field(part, 'functionCall')
    if (isRecord(call)) append(read, readCall(call, `${at}.functionCall`, { pairs, reading, sealed }))
    else if (isRecord(field(part, 'functionResponse')))
      reading.refuse(at, 'is the response of a function, which only a user can give')
    else if (typeof text === 'string') append(read, readText(text, part['thought'] === true, sealed))
    else append(read, readOther(part, reading))
  }
  return read
}

/** The signature of a text stands behind it, in a block of its own. */
function readText(text: string, isThought: boolean, sealed: ReturnType<typeof readSignature>): AssistantContent[] {
  if (isThought) return text === '' && sealed === undefined ? [] : [{ type: 'reasoning', text, sealed }]
  const said: AssistantContent[] = text === '' ? [] : [{ type: 'text', text }]
  return sealed === undefined ? said : [...said, { type: 'reasoning', text: '', sealed }]
}

function readOther(part: JsonObject, reading: Reading): AssistantContent[] {
  const hosted = readHosted(part)
  if (hosted !== undefined) return [hosted]
  for (const name of ['inlineData', 'fileData']) if (isRecord(field(part, name))) reading.drop(`${name} of the model`)
  return []
}

type CallContext = PartReading & { readonly sealed: ReturnType<typeof readSignature> }

function readCall(call: JsonObject, path: string, { pairs, reading, sealed }: CallContext): AssistantContent[] {
  const name = reading.name(call, 'name', path)
  const args = call['args'] ?? {}
  if (!isRecord(args)) reading.refuse(`${path}.args`, 'must be an object')
  if (name === undefined) return []
  const { id } = call
  const own = pairs.call(name, typeof id === 'string' && id !== '' ? id : undefined)
  return [{ type: 'tool-call', id: own, name, arguments: JSON.stringify(args), sealed }]
}
