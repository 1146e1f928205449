// Writes content as chat completions have it: a plain string where there is nothing but text, which every server takes, and
// parts where there is more.

import { refuse, type Refusal } from '#core/refusal.ts'
import type { CacheMark, DocumentContent, ImageContent, JsonObject, MediaSource, UserContent } from '#dialect/turn.ts'

const BREAK = '\n\n'

/** What a writer could not carry. */
export class Losses {
  problem: Refusal | undefined
  readonly names = new Set<string>()
}

export class ContentWriter {
  readonly #hasMarks: boolean
  readonly #losses: Losses

  constructor(losses: Losses, options: { readonly hasMarks: boolean }) {
    this.#losses = losses
    this.#hasMarks = options.hasMarks
  }

  /** A message's content. */
  content(parts: readonly UserContent[], separator = BREAK): string | JsonObject[] {
    const texts = parts.map((part) => plainText(part))
    const marked = parts.some((part) => part.type !== 'audio' && part.cacheMark !== undefined)
    if (marked && !this.#hasMarks) this.#losses.names.add('cache_control')
    if (texts.every((text) => text !== undefined) && !(marked && this.#hasMarks)) return texts.join(separator)
    return parts.map((part) => this.#part(part)).filter((part) => part !== undefined)
  }

  /** The member that holds a mark; none where the provider knows none. */
  mark(mark: CacheMark | undefined): JsonObject {
    if (mark === undefined) return {}
    if (this.#hasMarks) {
      return { cache_control: mark.ttl === undefined ? { type: 'ephemeral' } : { type: 'ephemeral', ttl: mark.ttl } }
    }
    this.#losses.names.add('cache_control')
    return {}
  }

  #part(part: UserContent): JsonObject | undefined {
    switch (part.type) {
      case 'text':
        return { type: 'text', text: part.text, ...this.mark(part.cacheMark) }
      case 'image':
        return { type: 'image_url', image_url: this.#image(part), ...this.mark(part.cacheMark) }
      case 'audio':
        return { type: 'input_audio', input_audio: { data: part.data, format: part.format } }
      case 'document':
        return this.#document(part)
    }
  }

  #image({ source, detail }: ImageContent): JsonObject {
    return detail === undefined ? { url: urlOf(source) } : { url: urlOf(source), detail }
  }

  #document(part: DocumentContent): JsonObject | undefined {
    const { source, cacheMark } = part
    if (source.type === 'text') return { type: 'text', text: plainText(part), ...this.mark(cacheMark) }
    if (source.type === 'url') {
      const says = 'This model takes documents as data only. Send the document in base64 instead of its address.'
      this.#losses.problem ??= refuse('invalid_request', says)
      return undefined
    }
    const file = { filename: part.name ?? fileName(source.mediaType), file_data: urlOf(source) }
    return { type: 'file', file, ...this.mark(cacheMark) }
  }
}

/** A part that can be told as text; undefined for one that cannot. */
export function plainText(part: UserContent): string | undefined {
  if (part.type === 'text') return part.text
  if (part.type !== 'document' || part.source.type !== 'text') return undefined
  return part.name === undefined ? part.source.text : `${part.name}:${BREAK}${part.source.text}`
}

function urlOf(source: MediaSource): string {
  return source.type === 'url' ? source.url : `data:${source.mediaType};base64,${source.data}`
}

/** OpenAI wants a name, and tells the kind of a file by its ending. */
function fileName(mediaType: string): string {
  const kind = mediaType.slice(mediaType.indexOf('/') + 1)
  return /^[a-z0-9]{1,8}$/.test(kind) ? `document.${kind}` : 'document'
}
