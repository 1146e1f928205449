// A request for embeddings made ready for its provider: edited for one of Google's dialect, or read for one of another.

import { refuse, type Refusal } from '#core/refusal.ts'
import type { EmbeddingRequest, EmbeddingWish } from '#dialect/embedding.ts'
import { spellingOf } from '#dialect/gemini/fields.ts'
import { modelPath } from '#dialect/gemini/write-request.ts'
import { dimensionsIn, requestsIn, wished } from '#dialect/gemini-embeddings/read-request.ts'
import { editObject, scanArray, scanObject, type ObjectScan } from '#dialect/json-text.ts'
import { isRecord } from '#dialect/request-body.ts'
import type { JsonObject } from '#dialect/turn.ts'

/** What no other format has a word for. */
const OWN_MEMBERS = ['taskType', 'title', 'autoTruncate', 'documentOcr', 'audioTrackExtraction']

/** The model's full name, as Google wants it in bodies. */
export function modelName(upstreamModel: string): string {
  return decodeURIComponent(modelPath(upstreamModel))
}

/** The request's text under the provider's name of the model. Each request of a batch names it, and Google holds them all to the path's. */
export function editGeminiEmbedding({ body, form }: EmbeddingRequest, upstreamModel: string): string {
  const { text, scan } = body
  const model = JSON.stringify(modelName(upstreamModel))
  const edits = new Map(scan.members.has('model') ? [['model', model]] : [])
  const where = scan.members.get('requests')
  if (form === 'batch' && where !== undefined)
    edits.set('requests', withModel(text.slice(where.start, where.end), model))
  return editObject(text, scan, edits)
}

function withModel(requests: string, model: string): string {
  const edited = scanArray(requests).map(({ start, end }) => {
    const request = requests.slice(start, end)
    return editObject(request, scanOf(request), new Map([['model', model]]))
  })
  return `[${edited.join()}]`
}

function scanOf(request: string): ObjectScan {
  const scan = scanObject(request)
  if ('problem' in scan) throw new Error('a request that was checked cannot be scanned')
  return scan
}

/** The request in no format's words, or a refusal that names what cannot be carried. */
export function readGeminiEmbeddingWish({ body, form }: EmbeddingRequest): EmbeddingWish | Refusal {
  const requests = requestsIn(body.value)
  const inputs: string[] = []
  for (const [index, request] of requests.entries()) {
    const path = form === 'batch' ? `requests[${index}].` : ''
    const text = textIn(request, path)
    if (typeof text !== 'string') return text
    inputs.push(text)
  }
  const [dimensions, ...others] = new Set(requests.map(dimensionsIn))
  if (others.length > 0) {
    const param = 'requests[].outputDimensionality'
    return refuse('invalid_request', `'${param}' must be one number for all requests of a batch.`, { param })
  }
  const isGiven = (name: string) => requests.some((request) => (wished(request, name) ?? '') !== '')
  return { inputs, dimensions, dropped: OWN_MEMBERS.filter(isGiven) }
}

/** The texts of a content, which are embedded as one. */
function textIn(request: JsonObject, path: string): string | Refusal {
  const { parts } = isRecord(request['content']) ? request['content'] : {}
  const texts: string[] = []
  for (const [index, part] of (Array.isArray(parts) ? parts : []).entries()) {
    const param = `${path}content.parts[${index}]`
    const media = ['inlineData', 'fileData'].find((name) => isRecord(part) && spellingOf(part, name) !== undefined)
    const text: unknown = isRecord(part) && media === undefined ? part['text'] : undefined
    if (typeof text !== 'string') {
      return refuse('invalid_request', `'${param}' is no text, and this model embeds nothing else.`, { param })
    }
    texts.push(text)
  }
  if (texts.some((text) => text !== '')) return texts.join('\n')
  const param = `${path}content.parts`
  return refuse('invalid_request', `'${param}' must not be empty.`, { param })
}
