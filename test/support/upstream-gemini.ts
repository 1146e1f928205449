// Answers of the scripted provider in the format of the Gemini API, as bytes. Pure and deterministic. As in Google's recorded
// streams lines end in CR LF, every chunk has running counts, calls come whole, the signature comes with the first call or
// behind the text in a part that is empty, and a stream just ends.
import {
  GEMINI_USAGE,
  type Content,
  type ProviderError,
  type StreamShape,
  type ToolCall,
} from './upstream-behaviour.ts'
import {
  indented,
  textOf,
  textPieces,
  withComments,
  wordsOf,
  type Asked,
  type Json,
  type StreamScript,
  type WireFormat,
} from './upstream-format.ts'

const DEFAULT_SEAL = 'c2NyaXB0ZWQtc2lnbmF0dXJl'
const STATUS_NAMES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
}

export const GEMINI: WireFormat = {
  streams: ({ path }) => path.includes(':streamGenerateContent'),
  whole,
  events,
  deltaMark: '"text":"',
  errorOf,
  errorBody: (error) => ({ error }),
  errorEvents: (error, _asked, script) => [event({ error }, script)],
}

/** Counts the tokens of a request. */
export const GEMINI_COUNT: WireFormat = {
  ...GEMINI,
  streams: () => false,
  whole: (script) => {
    const totalTokens = (script.usage ?? GEMINI_USAGE).promptTokenCount
    return indented({ totalTokens, promptTokensDetails: [{ modality: 'TEXT', tokenCount: totalTokens }] })
  },
}

function whole(script: Content, asked: Asked): Buffer {
  const parts = [...thoughtParts(script), ...textParts(script), ...callParts(script), ...lastParts(script)]
  return indented(chunk(script, asked, { parts, isLast: true, usage: finalUsage(script) }))
}

function events(script: StreamScript, asked: Asked): Buffer[] {
  const pieces = [
    ...wordsOf(script.reasoning ?? '').map((text) => [{ text, thought: true }]),
    ...textPieces(script).map((text) => [{ text }]),
    ...(script.toolCalls === undefined ? [] : [callParts(script)]),
  ]
  const usage = finalUsage(script)
  const chunks = pieces.map((parts, index) =>
    chunk(script, asked, { parts, isLast: false, usage: usage && runningUsage(usage, index) }),
  )
  if (!script.omit?.includes('finish') && !script.omit?.includes('done')) {
    const parts = [...lastParts(script), { text: '' }].slice(0, 1)
    chunks.push(chunk(script, asked, { parts, isLast: true, usage }))
  }
  return withComments(
    chunks.map((one) => event(one, script)),
    script,
  )
}

function event(data: Json, { lineEnd = '\r\n' }: StreamShape): Buffer {
  return Buffer.from(`data: ${JSON.stringify(data)}${lineEnd}${lineEnd}`)
}

type Piece = { readonly parts: readonly Json[]; readonly isLast: boolean; readonly usage: Json | undefined }

function chunk(script: Content, asked: Asked, { parts, isLast, usage }: Piece): Json {
  const finish = isLast ? { finishReason: script.finishReason ?? 'STOP' } : {}
  const candidates = Array.from({ length: candidateCount(script, asked) }, (_, index) => ({
    content: { parts, role: 'model' },
    ...finish,
    index,
  }))
  const [, model = 'unnamed'] = /models\/([^:/?]+)/i.exec(asked.path) ?? []
  return {
    candidates,
    ...(usage === undefined ? {} : { usageMetadata: usage }),
    modelVersion: script.model ?? decodeURIComponent(model),
    responseId: 'scripted',
  }
}

function candidateCount(script: Content, { body }: Asked): number {
  const config = body.generationConfig
  const asked = typeof config === 'object' && config !== null && 'candidateCount' in config ? config.candidateCount : 1
  return script.choices ?? (typeof asked === 'number' ? asked : 1)
}

function thoughtParts({ reasoning }: Content): Json[] {
  return reasoning === undefined || reasoning === '' ? [] : [{ text: reasoning, thought: true }]
}

function textParts(script: Content): Json[] {
  const text = textOf(script)
  return text === undefined || text === '' ? [] : [{ text }]
}

function callParts(script: Content): Json[] {
  return (script.toolCalls ?? []).map((call, index) => ({
    functionCall: functionCall(call),
    ...(index === 0 ? signature(script) : {}),
  }))
}

/** A call without arguments has no member for them, and an empty id is none. */
function functionCall({ id, name, arguments: text }: ToolCall): Json {
  const args: unknown = text === '' ? {} : JSON.parse(text)
  const isEmpty = JSON.stringify(args) === '{}'
  return { ...(id === '' ? {} : { id }), name, ...(isEmpty ? {} : { args }) }
}

/** Only answers of a model that reasoned are signed; a script that wants a signature without reasoning names it. */
function signature({ seal, reasoning }: Content): Json {
  if (seal === null || (seal === undefined && reasoning === undefined)) return {}
  return { thoughtSignature: seal ?? DEFAULT_SEAL }
}

function lastParts(script: Content): Json[] {
  const signed = signature(script)
  return script.toolCalls !== undefined || !('thoughtSignature' in signed) ? [] : [{ text: '', ...signed }]
}

function finalUsage(script: Content): Json | undefined {
  return script.usage === null ? undefined : (script.usage ?? GEMINI_USAGE)
}

/** Counts that grow by one token a chunk, so that reading the first or adding all of them up gives a wrong answer. */
function runningUsage({ promptTokenCount }: Json, index: number): Json {
  const prompt = typeof promptTokenCount === 'number' ? promptTokenCount : 0
  return { promptTokenCount, candidatesTokenCount: index + 1, totalTokenCount: prompt + index + 1 }
}

function errorOf(code: number, message: string): ProviderError {
  return { code, message, status: STATUS_NAMES[code] ?? (code < 500 ? 'FAILED_PRECONDITION' : 'INTERNAL') }
}
