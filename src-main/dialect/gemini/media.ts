// Images, documents and audio as parts of a Gemini request: bytes in place, or a URL that Google fetches.

import { refuse, type Refusal } from '#core/refusal.ts'
import type { GeminiFacts } from '#dialect/gemini/model-facts.ts'
import type { AudioContent, DocumentContent, ImageContent, JsonObject, MediaSource } from '#dialect/turn.ts'

/** The types that a URL's ending stands for. Without a type Google asks the server that it fetches from. */
const TYPES_BY_ENDING: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  heic: 'image/heic',
  heif: 'image/heif',
  gif: 'image/gif',
  pdf: 'application/pdf',
  txt: 'text/plain',
  md: 'text/markdown',
  html: 'text/html',
  csv: 'text/csv',
  json: 'application/json',
}

/** Files that were given to Google before; every model reads them. */
const GOOGLE_FILES = 'https://generativelanguage.googleapis.com/'

export function imagePart(image: ImageContent, facts: GeminiFacts): JsonObject | Refusal {
  return sourcePart(image.source, facts, 'image')
}

export function documentPart({ source, name }: DocumentContent, facts: GeminiFacts): JsonObject | Refusal {
  if (source.type !== 'text') return sourcePart(source, facts, 'document')
  return { text: name === undefined || name === '' ? source.text : `${name}\n\n${source.text}` }
}

export function audioPart({ format, data }: AudioContent): JsonObject {
  return { inlineData: { mimeType: `audio/${format}`, data } }
}

export function inlinePart({ mediaType, data }: Extract<MediaSource, { type: 'base64' }>): JsonObject {
  return { inlineData: { mimeType: mediaType === 'image/jpg' ? 'image/jpeg' : mediaType, data } }
}

function sourcePart(source: MediaSource, facts: GeminiFacts, what: 'image' | 'document'): JsonObject | Refusal {
  if (source.type === 'base64') return inlinePart(source)
  const { url } = source
  const isGoogles = url.startsWith(GOOGLE_FILES) || url.startsWith('gs://')
  if (!isGoogles && !(facts.fetchesUrls && url.startsWith('https://'))) {
    const reason = url.startsWith('https://') ? 'This model does not fetch URLs' : 'Only https URLs are fetched'
    return refuse(
      'invalid_request',
      `The request has ${what === 'image' ? 'an image' : 'a document'} as a URL. ${reason}: send its bytes as base64.`,
    )
  }
  const mimeType = TYPES_BY_ENDING[endingOf(url)]
  return { fileData: { ...(mimeType === undefined ? {} : { mimeType }), fileUri: url } }
}

/** The ending of the file's name in a URL, without its query. */
function endingOf(url: string): string {
  const path = url.split(/[?#]/, 1)[0] ?? ''
  return path.slice(path.lastIndexOf('.') + 1).toLowerCase()
}
