// Reads the content of chat messages: a string, or parts of the kinds that a role may have.

import { cleanBase64, readSource } from '#dialect/chat-completions/media.ts'
import type { Notes } from '#dialect/chat-completions/notes.ts'
import { isRecord } from '#dialect/request-body.ts'
import type {
  AudioContent,
  CacheMark,
  DocumentContent,
  ImageContent,
  JsonObject,
  TextContent,
  ToolResult,
  UserContent,
} from '#dialect/turn.ts'

/** Reads one part; undefined for one that is empty or wrong. */
type ReadPart<Part> = (part: JsonObject, param: string) => Part | undefined

/** The parts of a message's content. A string is one part of text; empty texts are left out. */
export function readParts<Part>(content: unknown, param: string, notes: Notes, read: ReadPart<Part>): Part[] {
  if (content === undefined || content === null || content === '') return []
  if (typeof content === 'string') {
    const part = read({ type: 'text', text: content }, param)
    return part === undefined ? [] : [part]
  }
  if (!Array.isArray(content)) {
    notes.wrong(param, 'must be a string or an array of content parts')
    return []
  }
  const parts: Part[] = []
  for (const [index, value] of content.entries()) {
    const path = `${param}[${index}]`
    const part = isRecord(value) ? read(value, path) : notes.wrong(path, 'must be an object')
    if (part !== undefined) parts.push(part)
  }
  return parts
}

export function readSystemContent(content: unknown, param: string, notes: Notes): TextContent[] {
  return readParts(content, param, notes, (part, path) =>
    part['type'] === 'text' ? readText(part, path, notes) : wrongType(path, ['text'], notes),
  )
}

export function readUserContent(content: unknown, param: string, notes: Notes): UserContent[] {
  return readParts(content, param, notes, (part, path) =>
    part['type'] === 'input_audio'
      ? readAudio(part, path, notes)
      : readPlainPart(part, path, notes, ['text', 'image_url', 'file', 'input_audio']),
  )
}

export function readResultContent(content: unknown, param: string, notes: Notes): ToolResult['content'] {
  return readParts(content, param, notes, (part, path) =>
    readPlainPart(part, path, notes, ['text', 'image_url', 'file']),
  )
}

export function readText(part: JsonObject, param: string, notes: Notes): TextContent | undefined {
  const text = part['text']
  if (typeof text !== 'string') return notes.wrong(`${param}.text`, 'must be a string')
  return text === '' ? undefined : { type: 'text', text, cacheMark: cacheMarkOf(part) }
}

export function wrongType(param: string, known: readonly string[], notes: Notes): undefined {
  const names = known.map((name) => `'${name}'`).join(', ')
  return notes.wrong(`${param}.type`, known.length === 1 ? `must be ${names}` : `must be one of ${names}`)
}

/** The mark that OpenRouter's dialect puts on parts, messages and tools. */
export function cacheMarkOf(value: JsonObject): CacheMark | undefined {
  const mark = value['cache_control']
  if (!isRecord(mark)) return undefined
  return { ttl: typeof mark['ttl'] === 'string' ? mark['ttl'] : undefined }
}

function readPlainPart(
  part: JsonObject,
  param: string,
  notes: Notes,
  known: readonly string[],
): TextContent | ImageContent | DocumentContent | undefined {
  switch (part['type']) {
    case 'text':
      return readText(part, param, notes)
    case 'image_url':
      return readImage(part, param, notes)
    case 'file':
      return readFile(part, param, notes)
    default:
      return wrongType(param, known, notes)
  }
}

function readImage(part: JsonObject, param: string, notes: Notes): ImageContent | DocumentContent | undefined {
  const member = part['image_url']
  // Some clients write the address where the object belongs.
  const image: JsonObject = isRecord(member) ? member : { url: member }
  const path = isRecord(member) ? `${param}.image_url.url` : `${param}.image_url`
  const url = image['url']
  if (typeof url !== 'string') return notes.wrong(path, 'must be a string')
  const source = readSource(url)
  if (source === undefined) return notes.wrong(path, 'must be an https address or a data URL in base64')
  const cacheMark = cacheMarkOf(part)
  if (source.type === 'base64' && source.mediaType === 'application/pdf') return { type: 'document', source, cacheMark }
  if (source.type === 'base64' && !source.mediaType.startsWith('image/')) {
    return notes.wrong(path, 'must be a data URL of an image')
  }
  return { type: 'image', source, detail: readDetail(image['detail']), cacheMark }
}

function readDetail(value: unknown): ImageContent['detail'] {
  if (value === 'original') return 'high'
  return value === 'auto' || value === 'low' || value === 'high' ? value : undefined
}

function readFile(part: JsonObject, param: string, notes: Notes): DocumentContent | undefined {
  const file = isRecord(part['file']) ? part['file'] : {}
  const data = file['file_data']
  if (typeof data !== 'string') {
    const isStored = typeof file['file_id'] === 'string'
    return isStored
      ? notes.wrong(
          `${param}.file.file_id`,
          "names a stored file, and none are stored here; send its data in 'file_data'",
        )
      : notes.wrong(`${param}.file.file_data`, 'must be a data URL in base64')
  }
  const source = readSource(data) ?? bareFile(data)
  if (source === undefined) return notes.wrong(`${param}.file.file_data`, 'must be a data URL in base64')
  const name = typeof file['filename'] === 'string' && file['filename'] !== '' ? file['filename'] : undefined
  const cacheMark = cacheMarkOf(part)
  if (source.type !== 'base64' || !source.mediaType.startsWith('text/')) {
    return { type: 'document', source, name, cacheMark }
  }
  const text = Buffer.from(source.data, 'base64').toString('utf8')
  return { type: 'document', source: { type: 'text', text }, name, cacheMark }
}

/** Base64 without the head of a data URL, which OpenAI's first examples had; it took nothing but PDF then. */
function bareFile(text: string): DocumentContent['source'] | undefined {
  const data = cleanBase64(text)
  return data === undefined ? undefined : { type: 'base64', mediaType: 'application/pdf', data }
}

function readAudio(part: JsonObject, param: string, notes: Notes): AudioContent | undefined {
  const audio = isRecord(part['input_audio']) ? part['input_audio'] : {}
  const data = typeof audio['data'] === 'string' ? cleanBase64(audio['data']) : undefined
  if (data === undefined) return notes.wrong(`${param}.input_audio.data`, 'must be base64')
  const format = audio['format']
  if (format !== 'wav' && format !== 'mp3') return notes.wrong(`${param}.input_audio.format`, "must be 'wav' or 'mp3'")
  return { type: 'audio', data, format }
}
