// Writes content blocks in the messages format.

import { refuse, type Refusal } from '#core/refusal.ts'
import { CacheMarks, type WireBlock } from '#dialect/messages/cache-marks.ts'
import type { DocumentContent, ImageContent, TextContent, UserContent } from '#dialect/turn.ts'

const IMAGE_TYPES = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp'])
const PDF = 'application/pdf'
const PLAIN_TEXT = 'text/plain'

/** What the writers of one request share. */
export class Writing {
  /** The first thing that cannot be carried and must not be left out. */
  refusal: Refusal | undefined
  readonly marks = new CacheMarks()
  readonly #dropped = new Set<string>()

  get dropped(): readonly string[] {
    return [...this.#dropped]
  }

  drop(name: string): void {
    this.#dropped.add(name)
  }

  refuse(text: string, param: string): void {
    this.refusal ??= refuse('invalid_request', text, { param })
  }
}

/** A block for each content that says something: Anthropic refuses empty texts, and blank ones in most places. */
export function writeContent(content: readonly UserContent[], writing: Writing): WireBlock[] {
  return content.flatMap((part) => {
    const block = writePart(part, writing)
    if (block === undefined) return []
    if (part.type !== 'audio') writing.marks.add('messages', block, part.cacheMark)
    return [block]
  })
}

export function isBlank(text: string): boolean {
  return text.trim() === ''
}

function writePart(part: UserContent, writing: Writing): WireBlock | undefined {
  switch (part.type) {
    case 'text':
      return textBlock(part)
    case 'image':
      if (part.detail === 'low' || part.detail === 'high') writing.drop('image detail')
      return writeImage(part.source, writing)
    case 'document':
      return writeDocument(part, writing)
    case 'audio':
      writing.refuse('This model takes no audio. Send its text instead.', 'messages')
      return undefined
  }
}

function textBlock(part: TextContent): WireBlock | undefined {
  return isBlank(part.text) ? undefined : { type: 'text', text: part.text }
}

function writeImage(source: ImageContent['source'], writing: Writing): WireBlock | undefined {
  if (source.type === 'url') return { type: 'image', source }
  const mediaType = essence(source.mediaType)
  if (IMAGE_TYPES.has(mediaType)) return { type: 'image', source: base64(mediaType, source.data) }
  writing.refuse('This model takes JPEG, PNG, GIF and WebP images. Convert the image to one of them.', 'messages')
  return undefined
}

function writeDocument(part: DocumentContent, writing: Writing): WireBlock | undefined {
  const source = documentSource(part.source, writing)
  if (source === undefined) return undefined
  if (source['type'] === 'image') return source
  return { type: 'document', source, ...(part.name === undefined ? {} : { title: part.name }) }
}

function documentSource(source: DocumentContent['source'], writing: Writing): WireBlock | undefined {
  if (source.type === 'url') return { type: 'url', url: source.url }
  if (source.type === 'text') return plainText(source.text)
  const mediaType = essence(source.mediaType)
  if (mediaType === PDF) return base64(PDF, source.data)
  // Some clients send images as files.
  if (mediaType.startsWith('image/')) return writeImage(source, writing)
  if (isText(mediaType)) return plainText(Buffer.from(source.data, 'base64').toString('utf8'))
  writing.refuse('This model takes PDF and text documents. Convert the document to one of them.', 'messages')
  return undefined
}

function plainText(text: string): WireBlock | undefined {
  return isBlank(text) ? undefined : { type: 'text', media_type: PLAIN_TEXT, data: text }
}

function base64(mediaType: string, data: string): WireBlock {
  return { type: 'base64', media_type: mediaType, data }
}

function isText(mediaType: string): boolean {
  return (
    mediaType.startsWith('text/') || ['application/json', 'application/xml', 'application/yaml'].includes(mediaType)
  )
}

/** A media type without its parameters. Many clients write a type of JPEG that does not exist. */
function essence(mediaType: string): string {
  const plain = (mediaType.split(';', 1)[0] ?? '').trim().toLowerCase()
  return plain === 'image/jpg' ? 'image/jpeg' : plain
}
