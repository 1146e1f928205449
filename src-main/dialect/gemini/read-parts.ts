// Reads the parts of a client's contents: texts, media, and what Google's own tools left behind in a conversation.

import { field, camelOf } from '#dialect/gemini/fields.ts'
import type { Reading } from '#dialect/messages/reading.ts'
import { isRecord } from '#dialect/request-body.ts'
import type { AudioContent, DocumentContent, ImageContent, JsonObject, TextContent } from '#dialect/turn.ts'

export type MediaContent = ImageContent | DocumentContent | AudioContent

const AUDIO: Readonly<Record<string, string>> = {
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'audio/mp3': 'mp3',
  'audio/mpeg': 'mp3',
}
const IMAGE_ENDING = /\.(?:png|jpe?g|gif|webp|heic|heif|avif|bmp)(?:[?#]|$)/i
const DATA_MEMBERS = 'text thought thoughtSignature inlineData fileData functionCall functionResponse'
/** What a part may hold; what is said about it beside that is named where it cannot be carried. */
const KNOWN = new Set(`${DATA_MEMBERS} executableCode codeExecutionResult toolCall toolResponse`.split(' '))

/** Names what stands in a part beside its content, such as a resolution. */
export function dropUnknown(part: JsonObject, reading: Reading): void {
  dropOthers(part, '', KNOWN, reading)
}

/** Names members that are given and not known, in camelCase. What asks for nothing is not named. */
export function dropOthers(object: JsonObject, prefix: string, known: ReadonlySet<string>, reading: Reading): void {
  for (const [name, value] of Object.entries(object)) {
    if (!known.has(camelOf(name)) && !isNothing(value)) reading.drop(prefix + camelOf(name))
  }
}

function isNothing(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === '') return true
  return Array.isArray(value) && value.length === 0
}

/** A text, or a part that a user or the result of a call may hold; undefined for any other. */
export function readPlain(
  part: JsonObject,
  path: string,
  reading: Reading,
): readonly (TextContent | MediaContent)[] | undefined {
  const { text } = part
  if (typeof text === 'string') return text === '' ? [] : [{ type: 'text', text }]
  const inline = field(part, 'inlineData')
  if (isRecord(inline)) return listOf(readInline(inline, `${path}.inlineData`, reading))
  const file = field(part, 'fileData')
  if (isRecord(file)) return listOf(readFile(file, `${path}.fileData`, reading))
  const told = readHosted(part)
  return told === undefined ? undefined : [told]
}

/** What a tool that the provider ran was asked and gave back, as text. */
export function readHosted(part: JsonObject): TextContent | undefined {
  const code = field(part, 'executableCode')
  if (isRecord(code)) return told('code that was run', code['code'])
  const result = field(part, 'codeExecutionResult')
  if (isRecord(result)) return told('result of the code', result['output'])
  const call = field(part, 'toolCall')
  if (isRecord(call)) return told('call of a tool', JSON.stringify(call['args'] ?? {}))
  const response = field(part, 'toolResponse')
  return isRecord(response) ? told('result of a tool', JSON.stringify(response['response'] ?? {})) : undefined
}

function told(what: string, text: unknown): TextContent {
  return { type: 'text', text: `[${what}] ${typeof text === 'string' ? text : ''}`.trimEnd() }
}

function readInline(inline: JsonObject, path: string, reading: Reading): MediaContent | undefined {
  const mediaType = typeOf(inline)
  const given = inline['data']
  const data = typeof given === 'string' ? cleanBase64(given) : undefined
  if (data === undefined) return reading.refuse(`${path}.data`, 'must be base64')
  if (mediaType === undefined) return reading.refuse(`${path}.mimeType`, 'must be a non-empty string')
  if (mediaType.startsWith('image/')) return { type: 'image', source: { type: 'base64', mediaType, data } }
  if (mediaType === 'application/pdf') return { type: 'document', source: { type: 'base64', mediaType, data } }
  const format = AUDIO[mediaType]
  if (format !== undefined) return { type: 'audio', data, format }
  if (mediaType.startsWith('text/') || mediaType === 'application/json') {
    return { type: 'document', source: { type: 'text', text: Buffer.from(data, 'base64').toString('utf8') } }
  }
  return reading.refuse(path, "is of a type that this model's provider cannot read")
}

function readFile(file: JsonObject, path: string, reading: Reading): MediaContent | undefined {
  const uri = field(file, 'fileUri')
  if (typeof uri !== 'string' || uri === '') return reading.refuse(`${path}.fileUri`, 'must be a non-empty string')
  if (!/^https:\/\//i.test(uri) || uri.startsWith('https://generativelanguage.googleapis.com/')) {
    return reading.refuse(
      path,
      "names a stored file, which this model's provider cannot read; send its content in 'inlineData'",
    )
  }
  const mediaType = typeOf(file)
  if (mediaType === undefined ? IMAGE_ENDING.test(uri) : mediaType.startsWith('image/')) {
    return { type: 'image', source: { type: 'url', url: uri } }
  }
  if (mediaType === undefined || mediaType === 'application/pdf')
    return { type: 'document', source: { type: 'url', url: uri } }
  return reading.refuse(path, "is of a type that this model's provider cannot read")
}

function typeOf(media: JsonObject): string | undefined {
  const type = field(media, 'mimeType')
  return typeof type === 'string' && type !== '' ? type.toLowerCase() : undefined
}

/** Base64 in either alphabet, as all dialects take it; undefined for what is none. */
function cleanBase64(given: string): string | undefined {
  const isOther = /[\r\n_-]/.test(given)
  const text = isOther
    ? given
        .replaceAll(/[\r\n]+/g, '')
        .replaceAll('-', '+')
        .replaceAll('_', '/')
    : given
  const digits = text.replace(/={1,2}$/, '')
  if (digits === '' || digits.length % 4 === 1 || /[^A-Za-z0-9+/]/.test(digits)) return undefined
  return digits + ['', '', '==', '='][digits.length % 4]
}

function listOf<Item>(item: Item | undefined): Item[] {
  return item === undefined ? [] : [item]
}
