// Images, files and sounds in the input of the responses format.

import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import type { AudioContent, DocumentContent, ImageContent, JsonObject, MediaSource } from '#dialect/turn.ts'

/** Neither of the two alphabets. Looking for one wrong character needs no memory, however long the text is. */
const NOT_BASE64 = /[^\w+/-]/

export function readImage(part: JsonObject, param: string): ImageContent | Refusal {
  const noFileId = refuseFileId(part, param)
  if (noFileId !== undefined) return noFileId
  // Clients that also speak chat completions send its object here.
  const given = part['image_url']
  const url = typeof given === 'object' && given !== null && 'url' in given ? given.url : given
  const source = readSource(url, `${param}.image_url`)
  if (isRefusal(source)) return source
  return { type: 'image', source, detail: readDetail(part['detail']) }
}

export function readFile(part: JsonObject, param: string): DocumentContent | Refusal {
  const noFileId = refuseFileId(part, param)
  if (noFileId !== undefined) return noFileId
  const name = typeof part['filename'] === 'string' && part['filename'] !== '' ? part['filename'] : undefined
  const { file_data: data, file_url: url } = part
  if (typeof data !== 'string') {
    const source = readSource(url, `${param}.${url === undefined || url === null ? 'file_data' : 'file_url'}`)
    return isRefusal(source) ? source : { type: 'document', source, name }
  }
  const source = data.startsWith('data:')
    ? readSource(data, `${param}.file_data`)
    : readBase64('application/pdf', data, `${param}.file_data`)
  if (isRefusal(source)) return source
  const isText = source.type === 'base64' && source.mediaType.startsWith('text/')
  const text = isText ? Buffer.from(source.data, 'base64').toString('utf8') : undefined
  return { type: 'document', source: text === undefined ? source : { type: 'text', text }, name }
}

export function readAudio(part: JsonObject, param: string): AudioContent | Refusal {
  const audio = part['input_audio']
  const path = `${param}.input_audio`
  if (typeof audio !== 'object' || audio === null) return wrong(path, 'must be an object with data and format')
  const data = 'data' in audio ? audio.data : undefined
  const format = 'format' in audio ? audio.format : undefined
  if (typeof data !== 'string' || !isBase64(data)) return wrong(`${path}.data`, 'must be base64')
  if (typeof format !== 'string' || format === '') return wrong(`${path}.format`, 'must be a format such as wav or mp3')
  return { type: 'audio', data, format }
}

/** A data URL, or an address that a provider can fetch. */
function readSource(url: unknown, param: string): MediaSource | Refusal {
  if (typeof url !== 'string') return wrong(param, 'must be a URL')
  if (/^https?:\/\//i.test(url)) return { type: 'url', url }
  if (!/^data:/i.test(url)) return wrong(param, 'must be an https URL or a data URL')
  const comma = url.indexOf(',')
  const head = url.slice('data:'.length, comma === -1 ? 0 : comma)
  if (!/;base64$/i.test(head)) return wrong(param, 'must be a data URL in base64')
  const mediaType = head.slice(0, head.indexOf(';')).toLowerCase()
  return readBase64(mediaType === '' ? 'application/octet-stream' : mediaType, url.slice(comma + 1), param)
}

function readBase64(mediaType: string, data: string, param: string): MediaSource | Refusal {
  if (!isBase64(data)) return wrong(param, 'must hold base64')
  return { type: 'base64', mediaType, data }
}

function isBase64(data: string): boolean {
  const [end = ''] = /={0,2}$/.exec(data.slice(-2)) ?? []
  const length = data.length - end.length
  return length > 0 && !NOT_BASE64.test(data.slice(0, length))
}

function readDetail(detail: unknown): ImageContent['detail'] {
  if (detail === 'auto' || detail === 'low' || detail === 'high') return detail
  // Codex asks for the original size; nobody else knows that word.
  return detail === 'original' ? 'high' : undefined
}

function refuseFileId(part: JsonObject, param: string): Refusal | undefined {
  if (part['file_id'] === undefined || part['file_id'] === null) return undefined
  return wrong(`${param}.file_id`, 'cannot be used, since Farebox keeps no files; send the content itself')
}

function wrong(param: string, says: string): Refusal {
  return refuse('invalid_request', `'${param}' ${says}.`, { param })
}
