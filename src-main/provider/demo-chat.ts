// What the demo model says. Every answer follows from the request alone, so that a test or a demonstration can rely on it.

import { isRecord } from '#dialect/request-body.ts'

type Json = Readonly<Record<string, unknown>>

export type DemoChat = {
  readonly model: string
  readonly isStream: boolean
  readonly wantsUsage: boolean
  readonly outputCap: number | undefined
  readonly choices: number
  /** All that the model reads. */
  readonly promptText: string
  readonly lastRole: string
  readonly lastText: string
  readonly tools: readonly Json[]
  readonly toolChoice: unknown
}

/** The members of a checked request that the demo model looks at. */
export function readDemoChat(body: unknown): DemoChat {
  const request = isRecord(body) ? body : {}
  const messages = Array.isArray(request['messages']) ? request['messages'].filter(isRecord) : []
  const last = messages.at(-1) ?? {}
  const cap = request['max_completion_tokens'] ?? request['max_tokens']
  const options = request['stream_options']
  const tools = Array.isArray(request['tools']) ? request['tools'].filter(isRecord) : []
  return {
    model: String(request['model']),
    isStream: request['stream'] === true,
    wantsUsage: isRecord(options) && options['include_usage'] === true,
    outputCap: typeof cap === 'number' ? cap : undefined,
    choices: typeof request['n'] === 'number' ? request['n'] : 1,
    promptText:
      messages.map((message) => textOf(message['content'])).join('\n') +
      (tools.length > 0 ? JSON.stringify(tools) : ''),
    lastRole: String(last['role']),
    lastText: textOf(last['content']),
    tools,
    toolChoice: request['tool_choice'] ?? 'auto',
  }
}

/** A token of the demo model: up to five characters of a word with the space before it. What is counted is what is sent. */
export function splitTokens(text: string): string[] {
  return text.match(/\s?[^\s]{1,5}|\s/gu) ?? []
}

export function countTokens(text: string): number {
  return Math.max(1, splitTokens(text).length)
}

export function answerText(chat: DemoChat): string {
  const said = shorten(chat.lastText)
  if (chat.lastRole === 'tool') return `The tool answered: ${said}`
  return `Hello from the Farebox demo model. No provider was called. You said: ${said}`
}

/** The first tool, or the one that was asked for, with arguments that fit its schema; once, until its result is there. */
export function callTool(chat: DemoChat): { name: string; arguments: string } | undefined {
  if (chat.toolChoice === 'none' || chat.lastRole === 'tool') return undefined
  const named =
    isRecord(chat.toolChoice) && isRecord(chat.toolChoice['function']) ? chat.toolChoice['function']['name'] : undefined
  const functions = chat.tools.map((tool) => tool['function']).filter(isRecord)
  const chosen = named === undefined ? functions[0] : functions.find((candidate) => candidate['name'] === named)
  if (chosen === undefined) return undefined
  return { name: String(chosen['name']), arguments: JSON.stringify(sample(chosen['parameters'], chat.lastText)) }
}

/** A value that fits a JSON schema of the simple kinds that tools use. */
function sample(schema: unknown, text: string): unknown {
  if (!isRecord(schema)) return {}
  if (Array.isArray(schema['enum'])) return schema['enum'][0]
  switch (schema['type']) {
    case 'string':
      return shorten(text)
    case 'number':
    case 'integer':
      return typeof schema['minimum'] === 'number' ? schema['minimum'] : 1
    case 'boolean':
      return true
    case 'array':
      return [sample(schema['items'], text)]
    default:
      return sampleObject(schema, text)
  }
}

function sampleObject(schema: Json, text: string): Json {
  const properties = isRecord(schema['properties']) ? schema['properties'] : {}
  const required = Array.isArray(schema['required']) ? schema['required'] : Object.keys(properties)
  return Object.fromEntries(required.map((name) => [String(name), sample(properties[String(name)], text)]))
}

const SHOWN_LENGTH = 200

function shorten(text: string): string {
  const characters = Array.from(text)
  return characters.length <= SHOWN_LENGTH ? text : `${characters.slice(0, SHOWN_LENGTH).join('')}…`
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map((part) => (isRecord(part) && typeof part['text'] === 'string' ? part['text'] : '')).join('')
}
