// Files inside a chat completion request: data URLs, base64, and addresses that the provider fetches itself.

import type { MediaSource } from '#dialect/turn.ts'

const MAX_HEAD_LENGTH = 256
const NOT_BASE64 = /[^A-Za-z0-9+/]/

/** The base64 text without line ends; undefined for an empty text and for one that is not base64. Linear in its length. */
export function cleanBase64(text: string): string | undefined {
  const data = /\s/.test(text) ? text.replaceAll(/\s/g, '') : text
  let end = data.length
  while (end > data.length - 2 && data.charCodeAt(end - 1) === 0x3d) end -= 1
  if (end === 0 || end % 4 === 1 || NOT_BASE64.test(data.slice(0, end))) return undefined
  return data
}

/** A data URL in base64, or an address on the web; undefined for everything else. */
export function readSource(url: string): MediaSource | undefined {
  if (/^https?:\/\/./i.test(url)) return { type: 'url', url }
  const comma = url.slice(0, MAX_HEAD_LENGTH).indexOf(',')
  const [mediaType, ...marks] = url.slice(0, Math.max(comma, 0)).toLowerCase().split(';')
  if (mediaType?.startsWith('data:') !== true || marks.at(-1) !== 'base64') return undefined
  const data = cleanBase64(url.slice(comma + 1))
  return data === undefined ? undefined : { type: 'base64', mediaType: mediaType.slice('data:'.length), data }
}
