// What has to be counted of a conversation: its texts, for a tokenizer, and what the rest comes to. The overheads are those
// that OpenAI publishes for its models of the encoding o200k_base (the cookbook's page on counting tokens, the guide to
// images). Other models render a conversation in other ways, so for them the sum is an estimate.

import { imageSize } from '#dialect/image-size.ts'
import { squaresOf } from '#dialect/image-tokens.ts'
import { isRecord } from '#dialect/request-body.ts'
import { CUSTOM_INPUT_SCHEMA } from '#dialect/tools.ts'
import type {
  AssistantContent,
  AudioContent,
  Conversation,
  DocumentContent,
  ImageContent,
  OutputFormat,
  Tool,
  Turn,
  UserContent,
} from '#dialect/turn.ts'

export type Countable = {
  /** To be counted each for itself. There are few of them, however many the conversation has. */
  readonly texts: readonly string[]
  readonly overheadTokens: number
}

/** Three tokens around a message and one for its role. */
const MESSAGE_TOKENS = 4
/** Every answer is begun with three tokens. */
const ANSWER_TOKENS = 3
/** A tool's call, and its result, is a message that names whom it is for. */
const TOOL_MESSAGE_TOKENS = MESSAGE_TOKENS + 3
/** The cookbook's numbers for tool definitions. */
const TOOL_TOKENS = 7
const TOOLS_END_TOKENS = 12
const PROPERTIES_TOKENS = 3
const PROPERTY_TOKENS = 3
const ENUM_TOKENS = -3
const ENUM_ITEM_TOKENS = 3
/** The heading under which a schema for the answer is given to the model. */
const FORMAT_TOKENS = 10

/** An image costs this and, unless its detail is low, so much for each square of 512 pixels. */
const IMAGE_TOKENS = 85
const IMAGE_TILE_TOKENS = 170
/** For an image whose size nobody can see: a screenshot's six squares. */
const UNKNOWN_IMAGE_TILES = 6
/** Providers count a page of a document as text and picture; a page has very roughly this many bytes. */
const PAGE_TOKENS = 2_000
const PAGE_BYTES = 50_000
const MAX_PAGES = 100
/** For a document behind a URL. */
const UNKNOWN_PAGES = 5
/** Ten tokens for a second of sound, at the bytes per second that speech has at least. */
const SOUND_TOKENS_PER_SECOND = 10
const WAV_BYTES_PER_SECOND = 32_000
const MP3_BYTES_PER_SECOND = 8_000

/** Deeper than any body is nested that was let in. */
const MAX_SCHEMA_DEPTH = 64
/** So many texts are kept apart; more are joined, because each costs time on its way to the thread that counts. */
const MAX_TEXTS = 2_048

/** Linear in the size of the conversation. */
export function countableOf(conversation: Conversation): Countable {
  const counting = new Counting()
  counting.overhead(ANSWER_TOKENS)
  for (const turn of conversation.turns) addTurn(counting, turn)
  for (const tool of conversation.tools) addTool(counting, tool)
  if (conversation.tools.length > 0) counting.overhead(TOOLS_END_TOKENS)
  if (conversation.format !== undefined) addFormat(counting, conversation.format)
  return counting.result()
}

class Counting {
  readonly #texts: string[] = []
  readonly #joined: string[] = []
  #overheadTokens = 0

  text(text: string): void {
    if (text === '') return
    if (this.#texts.length < MAX_TEXTS) this.#texts.push(text)
    else this.#joined.push(text)
  }

  overhead(tokens: number): void {
    this.#overheadTokens += tokens
  }

  result(): Countable {
    const texts = this.#joined.length === 0 ? this.#texts : [...this.#texts, this.#joined.join('\n')]
    return { texts, overheadTokens: this.#overheadTokens }
  }
}

function addTurn(counting: Counting, turn: Turn): void {
  switch (turn.role) {
    case 'tool':
      for (const result of turn.results) {
        counting.overhead(TOOL_MESSAGE_TOKENS)
        for (const part of result.content) addContent(counting, part)
      }
      return
    case 'assistant':
      counting.overhead(MESSAGE_TOKENS)
      for (const part of turn.content) addAssistantContent(counting, part)
      return
    case 'system':
    case 'user':
      counting.overhead(MESSAGE_TOKENS)
      for (const part of turn.content) addContent(counting, part)
  }
}

function addAssistantContent(counting: Counting, part: AssistantContent): void {
  if (part.type !== 'tool-call') return counting.text(part.text)
  counting.overhead(TOOL_MESSAGE_TOKENS)
  counting.text(fullName(part))
  counting.text(part.arguments)
}

function addContent(counting: Counting, part: UserContent): void {
  switch (part.type) {
    case 'text':
      return counting.text(part.text)
    case 'image':
      return counting.overhead(imageTokens(part))
    case 'document':
      return addDocument(counting, part)
    case 'audio':
      return counting.overhead(audioTokens(part))
  }
}

function imageTokens({ source, detail }: ImageContent): number {
  if (detail === 'low') return IMAGE_TOKENS
  const size = source.type === 'base64' ? imageSize(source.data) : undefined
  if (size === undefined) return IMAGE_TOKENS + UNKNOWN_IMAGE_TILES * IMAGE_TILE_TOKENS
  return IMAGE_TOKENS + squaresOf(size) * IMAGE_TILE_TOKENS
}

function addDocument(counting: Counting, { source, name }: DocumentContent): void {
  if (name !== undefined) counting.text(name)
  if (source.type === 'text') return counting.text(source.text)
  if (source.type === 'url') return counting.overhead(UNKNOWN_PAGES * PAGE_TOKENS)
  if (source.mediaType.startsWith('text/')) return counting.text(Buffer.from(source.data, 'base64').toString('utf8'))
  counting.overhead(Math.min(MAX_PAGES, Math.ceil(decodedBytes(source.data) / PAGE_BYTES)) * PAGE_TOKENS)
}

function audioTokens({ data, format }: AudioContent): number {
  const bytesPerSecond = format === 'mp3' ? MP3_BYTES_PER_SECOND : WAV_BYTES_PER_SECOND
  return Math.ceil((decodedBytes(data) / bytesPerSecond) * SOUND_TOKENS_PER_SECOND)
}

function decodedBytes(base64: string): number {
  return Math.floor((base64.length * 3) / 4)
}

function addTool(counting: Counting, tool: Tool): void {
  counting.overhead(TOOL_TOKENS)
  counting.text(`${fullName(tool)}:${withoutFullStop(tool.description)}`)
  addSchema(counting, tool.parameters ?? (tool.kind === 'custom' ? CUSTOM_INPUT_SCHEMA : undefined), 0)
}

/** A schema costs what its properties do. The published formula ends with the outermost ones; here it goes on inside them. */
function addSchema(counting: Counting, schema: unknown, depth: number): void {
  if (!isRecord(schema) || depth > MAX_SCHEMA_DEPTH) return
  addEnum(counting, schema['enum'])
  const { properties } = schema
  if (isRecord(properties) && Object.keys(properties).length > 0) {
    counting.overhead(PROPERTIES_TOKENS)
    for (const [name, property] of Object.entries(properties)) {
      counting.overhead(PROPERTY_TOKENS)
      counting.text(propertyLine(name, property))
      addSchema(counting, property, depth + 1)
    }
  }
  for (const inner of innerSchemas(schema)) addSchema(counting, inner, depth + 1)
}

function addEnum(counting: Counting, items: unknown): void {
  if (!Array.isArray(items) || items.length === 0) return
  counting.overhead(ENUM_TOKENS + items.length * ENUM_ITEM_TOKENS)
  for (const item of items) counting.text(typeof item === 'string' ? item : JSON.stringify(item))
}

function propertyLine(name: string, property: unknown): string {
  if (!isRecord(property)) return `${name}:any`
  const { type, description } = property
  const types = Array.isArray(type) ? type.filter((item) => typeof item === 'string').join('|') : type
  return `${name}:${typeof types === 'string' ? types : 'any'}:${withoutFullStop(description)}`
}

/** The schemas that a schema is made of, besides its properties. */
function innerSchemas(schema: Readonly<Record<string, unknown>>): unknown[] {
  const lists = [schema['anyOf'], schema['oneOf'], schema['allOf'], schema['prefixItems']]
  const tables = [schema['$defs'], schema['definitions'], schema['patternProperties']]
  return [
    schema['items'],
    schema['additionalProperties'],
    ...lists.flatMap((list): unknown[] => (Array.isArray(list) ? list : [])),
    ...tables.flatMap((table) => (isRecord(table) ? Object.values(table) : [])),
  ]
}

/** The schema of the answer is given to the model as JSON. */
function addFormat(counting: Counting, format: OutputFormat): void {
  if (format.type !== 'json-schema') return
  counting.overhead(FORMAT_TOKENS)
  counting.text(format.name)
  counting.text(format.description ?? '')
  counting.text(JSON.stringify(format.schema))
}

function fullName(tool: { readonly name: string; readonly namespace?: string | undefined }): string {
  return tool.namespace === undefined ? tool.name : `${tool.namespace}__${tool.name}`
}

function withoutFullStop(text: unknown): string {
  return typeof text === 'string' ? text.replace(/\.$/, '') : ''
}
