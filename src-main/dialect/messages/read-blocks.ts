// Reads the content blocks of a request in the messages format: text, images, documents, and what Anthropic's own tools left
// behind in a conversation, which others can only be told as text.

import { readMark, type Reading } from '#dialect/messages/reading.ts'
import { isRecord } from '#dialect/request-body.ts'
import type { DocumentContent, ImageContent, JsonObject, MediaSource, TextContent } from '#dialect/turn.ts'

/** What base64 ends with, by the number of its digits modulo 4. */
const PADDING = ['', '', '==', '=']

export type PlainContent = TextContent | ImageContent | DocumentContent

/** Content that is a string or an array of blocks, as the blocks with their paths. A string is one block of text. */
export function blocksOf(content: unknown, path: string, reading: Reading): readonly [JsonObject, string][] {
  if (typeof content === 'string') return [[{ type: 'text', text: content }, path]]
  if (content === undefined || content === null) return []
  if (!Array.isArray(content)) {
    reading.refuse(path, 'must be a string or an array of content blocks')
    return []
  }
  return content.flatMap((block: unknown, index): [JsonObject, string][] => {
    const at = `${path}[${index}]`
    if (isRecord(block) && typeof block['type'] === 'string') return [[block, at]]
    reading.refuse(isRecord(block) ? `${at}.type` : at, isRecord(block) ? 'must be a string' : 'must be an object')
    return []
  })
}

/** Blocks of text alone, as instructions are; others are dropped by name. */
export function readTexts(content: unknown, path: string, reading: Reading): TextContent[] {
  return blocksOf(content, path, reading).flatMap(([block, at]) => {
    if (block['type'] === 'text') return readText(block, at, reading)
    reading.drop(String(block['type']))
    return []
  })
}

/** A block that may stand in a user's turn or in a tool's result; undefined for a type that is none of these. */
export function readPlain(block: JsonObject, path: string, reading: Reading): PlainContent[] | undefined {
  switch (block['type']) {
    case 'text':
      return readText(block, path, reading)
    case 'image':
      return readImage(block, path, reading)
    case 'document':
      return readDocument(block, path, reading)
    case 'search_result':
      return readSearchResult(block, path, reading)
    case 'tool_reference':
      return toldAs('tool', block['tool_name'], readMark(block))
    default:
      return undefined
  }
}

/** A text block; an empty one is nothing, and most providers refuse it. */
export function readText(block: JsonObject, path: string, reading: Reading): TextContent[] {
  const text = reading.text(block, 'text', path)
  return text === undefined || text === '' ? [] : [{ type: 'text', text, cacheMark: readMark(block) }]
}

/** What a tool that the provider ran itself was asked and gave back, as text. */
export function readHostedHistory(block: JsonObject): TextContent[] {
  const { type, name, input, content } = block
  if (typeof name === 'string') return toldAs(`call of ${name}`, JSON.stringify(input ?? {}), undefined)
  return toldAs(String(type).replaceAll('_', ' '), resultText(content), undefined)
}

function readImage(block: JsonObject, path: string, reading: Reading): ImageContent[] {
  const source = readSource(block['source'], `${path}.source`, reading)
  return source === undefined ? [] : [{ type: 'image', source, cacheMark: readMark(block) }]
}

function readDocument(block: JsonObject, path: string, reading: Reading): PlainContent[] {
  const { source, title, context } = block
  if (isRecord(block['citations']) && block['citations']['enabled'] === true) reading.drop('citations')
  const name = typeof title === 'string' && title !== '' ? title : undefined
  const about = typeof context === 'string' && context !== '' ? [toText(`[about the next document] ${context}`)] : []
  const cacheMark = readMark(block)
  const at = `${path}.source`
  if (isRecord(source) && source['type'] === 'text') {
    const text = reading.text(source, 'data', at)
    return text === undefined ? [] : [...about, { type: 'document', source: { type: 'text', text }, name, cacheMark }]
  }
  if (isRecord(source) && source['type'] === 'content') {
    const parts = blocksOf(source['content'], `${at}.content`, reading).flatMap(
      ([part, partPath]) => readPlain(part, partPath, reading) ?? [],
    )
    const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
    const document: DocumentContent = { type: 'document', source: { type: 'text', text }, name, cacheMark }
    return [...about, ...(text === '' ? [] : [document]), ...parts.filter((part) => part.type !== 'text')]
  }
  const media = readSource(source, at, reading)
  return media === undefined ? [] : [...about, { type: 'document', source: media, name, cacheMark }]
}

function readSource(source: unknown, path: string, reading: Reading): MediaSource | undefined {
  if (!isRecord(source)) return reading.refuse(path, 'must be an object')
  switch (source['type']) {
    case 'base64': {
      const mediaType = reading.name(source, 'media_type', path)
      const data = readBase64(source, path, reading)
      return mediaType === undefined || data === undefined ? undefined : { type: 'base64', mediaType, data }
    }
    case 'url': {
      const url = reading.name(source, 'url', path)
      return url === undefined ? undefined : { type: 'url', url }
    }
    case 'file':
      return reading.refuse(
        path,
        "names a stored file, which this model's provider cannot read; send its content as base64",
      )
    default:
      return reading.refuse(`${path}.type`, 'must be base64 or url')
  }
}

/** Base64 without the line breaks that some encoders put in, and with the padding that others leave out. */
function readBase64(source: JsonObject, path: string, reading: Reading): string | undefined {
  const given = reading.name(source, 'data', path)
  if (given === undefined) return undefined
  const data = /[\r\n]/.test(given) ? given.replaceAll(/[\r\n]+/g, '') : given
  const end = data.indexOf('=')
  const digits = end === -1 ? data : data.slice(0, end)
  const isValid = digits !== '' && digits.length % 4 !== 1 && !/[^A-Za-z0-9+/]/.test(digits)
  if (isValid && /^={0,2}$/.test(data.slice(digits.length))) return digits + PADDING[digits.length % 4]
  return reading.refuse(`${path}.data`, 'must be base64 without the head of a data URL')
}

function readSearchResult(block: JsonObject, path: string, reading: Reading): TextContent[] {
  const texts = readTexts(block['content'], `${path}.content`, reading).map((part) => part.text)
  const heading = [block['title'], block['source']].filter((part) => typeof part === 'string').join(', ')
  return [{ type: 'text', text: [`[search result: ${heading}]`, ...texts].join('\n'), cacheMark: readMark(block) }]
}

function toldAs(what: string, content: unknown, cacheMark: TextContent['cacheMark']): TextContent[] {
  const text = typeof content === 'string' ? content : ''
  return [{ type: 'text', text: `[${what}] ${text}`.trimEnd(), cacheMark }]
}

/** Results as titles and addresses or texts; what only Anthropic can read is left out. */
function resultText(content: unknown): string {
  if (typeof content === 'string') return content
  const entries = Array.isArray(content) ? content : [content]
  return entries
    .filter(isRecord)
    .map((entry) => {
      const { title, url, text } = entry
      const known = [title, url, text].filter((part) => typeof part === 'string')
      return known.length > 0 ? known.join(' ') : JSON.stringify(entry, withoutSecrets)
    })
    .join('\n')
}

function withoutSecrets(name: string, value: unknown): unknown {
  return name.startsWith('encrypted_') || name === 'cache_control' ? undefined : value
}

function toText(text: string): TextContent {
  return { type: 'text', text }
}
