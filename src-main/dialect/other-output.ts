// How large output is that is no text: images by their pixels, sound by its length, and everything else by its bytes, at as many for
// a token as an estimate of text takes. What is unknown must never be free: a new member counts until a table names it.

import { outputBytesOf } from '#core/estimate.ts'
import { imageSize } from '#dialect/image-size.ts'
import { mostImageTokens } from '#dialect/image-tokens.ts'
import { isRecord } from '#dialect/request-body.ts'
import { isNothing } from '#dialect/survey.ts'
import type { CountedPart } from '#core/usage.ts'

export type MediaTokens = Readonly<Partial<Record<Extract<CountedPart, 'output_image' | 'output_audio'>, number>>>

/** `bytes` of an image or of sound are those of a text of as many tokens. */
export type OtherOutput = { readonly bytes: number; readonly media?: MediaTokens | undefined }

/** Shorter texts are no image's file. */
const SHORTEST_IMAGE = 512
/** The head of a data URL. */
const DATA_URL = /^data:image\/[\w.+-]{1,64};base64,/
const MAX_HEAD_LENGTH = 96
/** The most that a vendor documents for speech that a model generates: Gemini's; OpenAI's is 20. */
const AUDIO_TOKENS_PER_SECOND = 25
/** Bytes of a second, at the lowest rate at which speech is sent in a format; PCM has 16 bits for a sample, and 24,000 samples as a rule. */
const PCM_RATE = 24_000
const PCM_FORMAT = /^(?:pcm|pcm16|l16|linear16)$/
const AUDIO_BYTES_PER_SECOND: ReadonlyMap<string, number> = new Map([
  ['wav', 16_000],
  ['wave', 16_000],
  ['x-wav', 16_000],
  ['g711_ulaw', 8_000],
  ['g711_alaw', 8_000],
  ['mp3', 4_000],
  ['mpeg', 4_000],
  ['aac', 4_000],
  ['flac', 4_000],
  ['opus', 750],
  ['ogg', 750],
])

/** What a value of an unknown kind comes to. Linear in its size. */
export function otherOutput(value: unknown, encoding: 'latin1' | 'utf8'): OtherOutput {
  if (typeof value === 'string') return ofText(value, encoding)
  // A number or a switch that stands alone is about the output, and not of it.
  if (typeof value !== 'object' || value === null) return { bytes: 0 }
  let bytes = 0
  let imageTokens = 0
  const open: unknown[] = [value]
  while (open.length > 0) {
    const next = open.pop()
    if (typeof next === 'string') {
      const text = ofText(next, encoding)
      bytes += text.bytes
      imageTokens += text.media?.output_image ?? 0
    } else if (typeof next === 'number') bytes += String(next).length
    else if (Array.isArray(next)) for (const item of next) open.push(item)
    else if (isRecord(next)) {
      for (const name in next) {
        if (isNothing(next[name])) continue
        bytes += name.length
        open.push(next[name])
      }
    }
  }
  return imageTokens === 0 ? { bytes } : { bytes, media: { output_image: imageTokens } }
}

/** Tokens of images and sound together. */
export function addedMedia(one: MediaTokens | undefined, other: MediaTokens | undefined): MediaTokens | undefined {
  if (one === undefined || other === undefined) return one ?? other
  const image = (one.output_image ?? 0) + (other.output_image ?? 0)
  const audio = (one.output_audio ?? 0) + (other.output_audio ?? 0)
  return { ...(image === 0 ? {} : { output_image: image }), ...(audio === 0 ? {} : { output_audio: audio }) }
}

function ofText(text: string, encoding: 'latin1' | 'utf8'): OtherOutput {
  const bytes = encoding === 'latin1' ? text.length : Buffer.byteLength(text)
  const size = text.length < SHORTEST_IMAGE ? undefined : imageSize(base64Of(text))
  if (size === undefined) return { bytes }
  const tokens = Math.min(mostImageTokens(size).most, Math.ceil(bytes / outputBytesOf(1)))
  return { bytes: outputBytesOf(tokens), media: { output_image: tokens } }
}

function base64Of(text: string): string {
  const head = DATA_URL.exec(text.slice(0, MAX_HEAD_LENGTH))?.[0]
  return head === undefined ? text : text.slice(head.length)
}

/** Sound as base64, of a format as requests name it or of a media type; undefined for a format of unknown duration. */
export function soundOutput(base64: string, format: string): OtherOutput | undefined {
  const bytesPerSecond = bytesPerSecondOf(format.toLowerCase())
  if (bytesPerSecond === undefined) return undefined
  const tokens = Math.ceil(((base64.length * 3) / 4 / bytesPerSecond) * AUDIO_TOKENS_PER_SECOND)
  return { bytes: outputBytesOf(tokens), media: { output_audio: tokens } }
}

function bytesPerSecondOf(format: string): number | undefined {
  const [name = '', ...parameters] = format.replace(/^audio\//, '').split(';', 8)
  const known = AUDIO_BYTES_PER_SECOND.get(name)
  if (known !== undefined || !PCM_FORMAT.test(name)) return known
  const rate = Number(parameters.find((parameter) => parameter.startsWith('rate='))?.slice('rate='.length) ?? PCM_RATE)
  return rate >= 8_000 && rate <= 96_000 ? rate * 2 : undefined
}
