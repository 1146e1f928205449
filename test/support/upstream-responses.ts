// Answers of the scripted provider in the responses format, as bytes. Pure and deterministic. The order of events is that of
// OpenAI's recorded streams: numbered, every item opened, filled and closed before the next one, no `[DONE]` at the end.
import { RESPONSES_USAGE, type Content, type ProviderError, type ToolCall } from './upstream-behaviour.ts'
import {
  CREATED_SECONDS,
  halvesOf,
  indented,
  modelOf,
  namedEvent,
  textOf,
  textPieces,
  withComments,
  wordsOf,
  type Asked,
  type Json,
  type RequestBody,
  type StreamScript,
  type WireFormat,
} from './upstream-format.ts'

/** An output item: as it is closed, as it is opened, and the events between; those lack the item's id and its place. */
type Item = { readonly done: Json; readonly added: Json; readonly events: readonly Json[] }

const DEFAULT_SEAL = 'Z0FBQUFBc2NyaXB0ZWQ='
const ERROR_TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'insufficient_quota',
  429: 'rate_limit_error',
}

export const RESPONSES: WireFormat = {
  streams: ({ body }) => body.stream === true,
  whole: (script, asked) => indented(finalResponse(script, asked)),
  events: (script, asked) => numbered(responseEvents(script, asked), script, 0),
  deltaMark: '.delta"',
  errorOf(status, message) {
    const type = ERROR_TYPES[status] ?? (status < 500 ? 'invalid_request_error' : 'server_error')
    return { message, type, param: null, code: null }
  },
  errorBody: (error) => ({ error }),
  errorEvents(error, asked, script) {
    const failed = { type: 'response.failed', response: failedResponse(error, script, asked) }
    return numbered([{ type: 'error', error }, failed], script, script.afterEvents)
  },
}

/** `POST /v1/responses/input_tokens`: the input tokens that a response would report. */
export const INPUT_COUNT: WireFormat = {
  ...RESPONSES,
  streams: () => false,
  whole: (script) =>
    indented({ object: 'response.input_tokens', input_tokens: (script.usage ?? RESPONSES_USAGE)['input_tokens'] }),
}

function numbered(events: readonly Json[], script: StreamScript, first: number): Buffer[] {
  const named = events.map(({ type, ...rest }, index) =>
    namedEvent({ type, sequence_number: first + index, ...rest }, script),
  )
  return withComments(named, script)
}

function responseEvents(script: StreamScript, asked: Asked): Json[] {
  const response = { ...skeleton(script, asked), status: 'in_progress' }
  const events = [
    { type: 'response.created', response },
    { type: 'response.in_progress', response },
    ...itemsOf(script, asked.body).flatMap(itemEvents),
  ]
  if (script.omit?.includes('done')) return events
  const final = finalResponse(script, asked)
  return [...events, { type: `response.${String(final.status)}`, response: final }]
}

function itemEvents({ added, done, events }: Item, index: number): Json[] {
  const place = { output_index: index }
  return [
    { type: 'response.output_item.added', ...place, item: added },
    ...events.map((event) => ({ ...event, item_id: done.id, ...place })),
    { type: 'response.output_item.done', ...place, item: done },
  ]
}

function itemsOf(script: Content, request: RequestBody): Item[] {
  const text = textOf(script)
  const said = text !== undefined || script.refusal !== undefined
  const isSealed = Array.isArray(request.include) && request.include.includes('reasoning.encrypted_content')
  const seal = isSealed ? (script.seal === undefined ? DEFAULT_SEAL : script.seal) : null
  const reasoning = script.reasoning === undefined ? [] : [reasoningItem(script.reasoning, seal)]
  const message = said ? [messageItem(script, text)] : []
  return [...reasoning, ...message, ...(script.toolCalls ?? []).map(callItem)]
}

/** Reasoning that is only sealed, which `reasoning: ''` scripts, has no summary at all. */
function reasoningItem(text: string, seal: string | null): Item {
  const sealed = seal === null ? {} : { encrypted_content: seal }
  const added = { id: 'rs_scripted', type: 'reasoning', ...sealed, summary: [] }
  if (text === '') return { added, done: added, events: [] }
  const place = { summary_index: 0 }
  const part = { type: 'summary_text', text }
  const name = 'response.reasoning_summary'
  return {
    added,
    done: { ...added, summary: [part] },
    events: [
      { type: `${name}_part.added`, ...place, part: { ...part, text: '' } },
      ...wordsOf(text).map((delta) => ({ type: `${name}_text.delta`, ...place, delta })),
      { type: `${name}_text.done`, ...place, text },
      { type: `${name}_part.done`, ...place, part },
    ],
  }
}

function messageItem(script: Content, text: string | undefined): Item {
  const item = { id: 'msg_scripted', type: 'message', status: 'in_progress', role: 'assistant', content: [] }
  const parts = [
    ...(text === undefined ? [] : [textPart(text, textPieces(script))]),
    ...(script.refusal === undefined ? [] : [refusalPart(script.refusal)]),
  ]
  return {
    added: item,
    done: { ...item, status: 'completed', content: parts.map(({ part }) => part) },
    events: parts.flatMap(({ empty, part, events }, index) => {
      const place = { content_index: index }
      return [
        { type: 'response.content_part.added', ...place, part: empty },
        ...events.map((event) => ({ ...event, ...place })),
        { type: 'response.content_part.done', ...place, part },
      ]
    }),
  }
}

function textPart(text: string, pieces: readonly string[]) {
  const empty = { type: 'output_text', text: '', annotations: [], logprobs: [] }
  return {
    empty,
    part: { ...empty, text },
    events: [
      ...pieces.map((delta) => ({ type: 'response.output_text.delta', delta, logprobs: [] })),
      { type: 'response.output_text.done', text, logprobs: [] },
    ],
  }
}

function refusalPart(refusal: string) {
  return {
    empty: { type: 'refusal', refusal: '' },
    part: { type: 'refusal', refusal },
    events: [
      ...wordsOf(refusal).map((delta) => ({ type: 'response.refusal.delta', delta })),
      { type: 'response.refusal.done', refusal },
    ],
  }
}

function callItem(call: ToolCall, index: number): Item {
  return call.kind === 'custom' ? customItem(call, index) : functionItem(call, index)
}

function functionItem(call: ToolCall, index: number): Item {
  const space = call.namespace === undefined ? {} : { namespace: call.namespace }
  const named = { type: 'function_call', call_id: call.id, ...space, name: call.name }
  const item = { id: `fc_scripted_${index}`, ...named, status: 'in_progress', arguments: '' }
  const name = 'response.function_call_arguments'
  return {
    added: item,
    done: { ...item, status: 'completed', arguments: call.arguments },
    events: [
      ...halvesOf(call.arguments).map((delta) => ({ type: `${name}.delta`, delta })),
      { type: `${name}.done`, name: call.name, arguments: call.arguments },
    ],
  }
}

function customItem(call: ToolCall, index: number): Item {
  const named = { type: 'custom_tool_call', call_id: call.id, name: call.name }
  const item = { id: `ctc_scripted_${index}`, ...named, status: 'in_progress', input: '' }
  const name = 'response.custom_tool_call_input'
  return {
    added: item,
    done: { ...item, status: 'completed', input: call.arguments },
    events: [
      ...halvesOf(call.arguments).map((delta) => ({ type: `${name}.delta`, delta })),
      { type: `${name}.done`, input: call.arguments },
    ],
  }
}

/** `finishReason` is what an incomplete response names as its reason; without one it is complete. */
function finalResponse(script: Content, asked: Asked): Json {
  const reason = script.finishReason
  return {
    ...skeleton(script, asked),
    completed_at: CREATED_SECONDS + 2,
    status: reason === undefined ? 'completed' : 'incomplete',
    incomplete_details: reason === undefined ? null : { reason },
    output: itemsOf(script, asked.body).map((item) => item.done),
    ...(script.usage === null ? {} : { usage: script.usage ?? RESPONSES_USAGE }),
  }
}

function failedResponse(error: ProviderError, script: Content, asked: Asked): Json {
  const { code, message } = error
  return { ...skeleton(script, asked), status: 'failed', error: { code: code ?? 'server_error', message } }
}

function skeleton(script: Content, asked: Asked): Json {
  return {
    id: 'resp_scripted',
    object: 'response',
    created_at: CREATED_SECONDS,
    status: 'completed',
    background: false,
    error: null,
    incomplete_details: null,
    instructions: null,
    max_output_tokens: null,
    model: modelOf(script, asked),
    output: [],
    parallel_tool_calls: true,
    previous_response_id: null,
    reasoning: { effort: null, summary: null },
    store: asked.body.store ?? true,
    temperature: 1,
    text: { format: { type: 'text' } },
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    truncation: 'disabled',
    usage: null,
    metadata: {},
  }
}
