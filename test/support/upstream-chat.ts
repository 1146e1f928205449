// Chat answers of the scripted provider, as bytes. Pure and deterministic: the same script and request give the same
// bytes every time, which is what lets a test demand byte-for-byte pass-through.
import {
  ORDINARY_USAGE,
  type Content,
  type StreamShape,
  type ToolCall,
  type UsagePlace,
  type WireUsage,
} from './upstream-behaviour.ts'
import {
  CREATED_SECONDS,
  halvesOf,
  indented,
  textOf,
  textPieces,
  withComments,
  wordsOf,
  type Json,
  type RequestBody,
  type StreamScript,
  type WireFormat,
} from './upstream-format.ts'

const ANSWER_ID = 'chatcmpl-scripted'

export const CHAT: WireFormat = {
  streams: ({ body }) => body.stream === true,
  whole: (script, { body }) => chatAnswer(script, body),
  events: (script, { body }) => chatEvents(script, body),
  deltaMark: '"delta"',
  errorOf: (status, message) => ({ message, type: errorType(status), param: null, code: null }),
  errorBody: (error) => ({ error }),
  errorEvents: (error, _asked, script) => [sseEvent(JSON.stringify({ error }), script)],
}

/** A whole `chat.completion`. */
function chatAnswer(script: Content, request: RequestBody): Buffer {
  const choices = indexes(choiceCount(script, request)).map((index) => wholeChoice(script, index))
  const usage = script.usage === null ? {} : { usage: script.usage ?? ORDINARY_USAGE }
  const answer = { ...envelope(script, request, 'chat.completion'), choices, ...usage, service_tier: 'default' }
  return indented(answer)
}

/** The events of a chat stream, one buffer each, comments and `[DONE]` included. */
function chatEvents(script: StreamScript, request: RequestBody): Buffer[] {
  const data = withUsage(chunks(script, request), script, request).map((chunk) => JSON.stringify(chunk))
  if (!script.omit?.includes('done')) data.push('[DONE]')
  const events = data.map((line) => sseEvent(line, script))
  return withComments(events, script)
}

/** One server-sent event with the script's line ends. */
function sseEvent(data: string, { lineEnd = '\n' }: StreamShape): Buffer {
  return Buffer.from(`data: ${data}${lineEnd}${lineEnd}`)
}

function wholeChoice(script: Content, index: number): Json {
  const calls = script.toolCalls?.map((call) => ({ id: call.id, type: 'function', function: functionOf(call) }))
  const message = {
    role: 'assistant',
    content: textOf(script) ?? null,
    ...(script.reasoning === undefined ? {} : { reasoning_content: script.reasoning }),
    ...(calls === undefined ? {} : { tool_calls: calls }),
    refusal: null,
  }
  return { index, message, logprobs: null, finish_reason: finishReason(script) }
}

/** All chunks of all choices without usage, choices interleaved as OpenAI does. */
function chunks(script: StreamScript, request: RequestBody): Json[] {
  const perChoice = indexes(choiceCount(script, request))
  const start = envelope(script, request, 'chat.completion.chunk')
  const steps: { delta: Json; finish: string | null }[] = deltas(script).map((delta) => ({ delta, finish: null }))
  if (!script.omit?.includes('finish')) steps.push({ delta: {}, finish: finishReason(script) })
  return steps.flatMap(({ delta, finish }) =>
    perChoice.map((index) => ({ ...start, choices: [{ index, delta, logprobs: null, finish_reason: finish }] })),
  )
}

function deltas(script: Content): Json[] {
  return [
    { role: 'assistant', content: script.toolCalls === undefined ? '' : null, refusal: null },
    ...wordsOf(script.reasoning ?? '').map((word) => ({ reasoning_content: word })),
    ...textPieces(script).map((piece) => ({ content: piece })),
    ...(script.toolCalls ?? []).flatMap(toolDeltas),
  ]
}

/** The first delta names the call, the rest carry its arguments in pieces: what client libraries insist on. */
function toolDeltas(call: ToolCall, index: number): Json[] {
  const named = { index, id: call.id, type: 'function', function: { name: call.name, arguments: '' } }
  const rest = halvesOf(call.arguments).map((piece) => ({ index, function: { arguments: piece } }))
  return [named, ...rest].map((part) => ({ tool_calls: [part] }))
}

function withUsage(plain: readonly Json[], script: StreamScript, request: RequestBody): Json[] {
  const usage = script.usage === undefined ? ORDINARY_USAGE : script.usage
  const place = usagePlace(script.usageAt ?? 'as-asked', request)
  if (usage === null || place === 'none') return [...plain]
  if (place === 'every-chunk') return plain.map((chunk, index) => ({ ...chunk, usage: runningUsage(usage, index) }))
  const last = plain.length - 1
  const nulled = plain.map((chunk) => ({ ...chunk, usage: null }))
  if (place === 'finish-chunk') return nulled.map((chunk, index) => (index === last ? { ...chunk, usage } : chunk))
  const closing = { ...envelope(script, request, 'chat.completion.chunk'), choices: [], usage }
  return [...nulled, ...indexes(script.usageTimes ?? 1).map(() => closing)]
}

function usagePlace(place: UsagePlace, request: RequestBody): Exclude<UsagePlace, 'as-asked'> | 'none' {
  if (place !== 'as-asked') return place
  return asksForUsage(request) ? 'own-chunk' : 'none'
}

function asksForUsage({ stream_options: options }: RequestBody): boolean {
  return typeof options === 'object' && options !== null && 'include_usage' in options && options.include_usage === true
}

/** Counts that grow by one token a chunk, so that reading the first or adding all of them up gives a wrong answer. */
function runningUsage(usage: WireUsage, index: number): WireUsage {
  const prompt = typeof usage.prompt_tokens === 'number' ? usage.prompt_tokens : 0
  return { ...usage, completion_tokens: index + 1, total_tokens: prompt + index + 1 }
}

function envelope(script: Content, request: RequestBody, object: string): Json {
  const model = script.model ?? (typeof request.model === 'string' ? request.model : 'unnamed')
  return { id: ANSWER_ID, object, created: CREATED_SECONDS, model, system_fingerprint: 'fp_scripted' }
}

function finishReason(script: Content): string {
  return script.finishReason ?? (script.toolCalls === undefined ? 'stop' : 'tool_calls')
}

function errorType(status: number): string {
  const names: Readonly<Record<number, string>> = { 401: 'authentication_error', 429: 'rate_limit_error' }
  return names[status] ?? (status < 500 ? 'invalid_request_error' : 'server_error')
}

function functionOf(call: ToolCall): Json {
  return { name: call.name, arguments: call.arguments }
}

function choiceCount(script: Content, request: RequestBody): number {
  return script.choices ?? (typeof request.n === 'number' ? request.n : 1)
}

function indexes(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index)
}
