// Streams of the responses format as providers send them, shortened from what OpenAI and compatible servers send.

import type { JsonObject } from '#dialect/turn.ts'

export const RESPONSE = {
  id: 'resp_1',
  object: 'response',
  created_at: 1_790_000_000,
  model: 'm',
  output: [],
  usage: null,
}
export const USAGE = {
  input_tokens: 10,
  input_tokens_details: { cached_tokens: 4 },
  output_tokens: 6,
  output_tokens_details: { reasoning_tokens: 2 },
  total_tokens: 16,
}

/** Events in the wire's form, numbered from 0 on. */
export function stream(...events: readonly JsonObject[]): string {
  return events
    .map((event, sequence) => {
      const data = JSON.stringify({ ...event, sequence_number: sequence })
      return `event: ${String(event['type'])}\ndata: ${data}\n\n`
    })
    .join('')
}

export const CREATED = { type: 'response.created', response: { ...RESPONSE, status: 'in_progress' } }
export const IN_PROGRESS = { type: 'response.in_progress', response: { ...RESPONSE, status: 'in_progress' } }

export function completed(output: readonly JsonObject[] = []): JsonObject {
  return { type: 'response.completed', response: { ...RESPONSE, status: 'completed', output, usage: USAGE } }
}

export function incomplete(reason = 'max_output_tokens'): JsonObject {
  const response = { ...RESPONSE, status: 'incomplete', incomplete_details: { reason }, usage: USAGE }
  return { type: 'response.incomplete', response }
}

export function failed(error: JsonObject): JsonObject {
  return { type: 'response.failed', response: { ...RESPONSE, status: 'failed', error, usage: USAGE } }
}

export function added(index: number, item: JsonObject): JsonObject {
  return { type: 'response.output_item.added', output_index: index, item }
}

export function done(index: number, item: JsonObject): JsonObject {
  return { type: 'response.output_item.done', output_index: index, item }
}

export function delta(kind: string, index: number, text: string, more: JsonObject = {}): JsonObject {
  return { type: `response.${kind}.delta`, item_id: `item_${index}`, output_index: index, delta: text, ...more }
}

export function message(text: string, more: JsonObject = {}): JsonObject {
  const content = [{ type: 'output_text', text, annotations: [], ...more }]
  return { id: 'msg_1', type: 'message', status: 'completed', role: 'assistant', content }
}

export function reasoning(texts: readonly string[], encrypted?: string): JsonObject {
  const summary = texts.map((text) => ({ type: 'summary_text', text }))
  return { id: 'rs_1', type: 'reasoning', summary, encrypted_content: encrypted }
}

export function functionCall(id: string, args: string): JsonObject {
  return { id: `fc_${id}`, type: 'function_call', status: 'completed', call_id: id, name: 'wx', arguments: args }
}

/** All events of a text. */
export function says(index: number, ...texts: readonly string[]): JsonObject[] {
  const whole = texts.join('')
  const place = { item_id: `item_${index}`, output_index: index, content_index: 0 }
  return [
    added(index, { ...message(''), status: 'in_progress', content: [] }),
    { type: 'response.content_part.added', ...place, part: { type: 'output_text', text: '' } },
    ...texts.map((text) => delta('output_text', index, text, { content_index: 0 })),
    { type: 'response.output_text.done', ...place, text: whole },
    { type: 'response.content_part.done', ...place, part: { type: 'output_text', text: whole } },
    done(index, message(whole)),
  ]
}

/** All events of a function call. */
export function calls(index: number, id: string, ...pieces: readonly string[]): JsonObject[] {
  const whole = pieces.join('')
  return [
    added(index, { ...functionCall(id, ''), status: 'in_progress' }),
    ...pieces.map((piece) => delta('function_call_arguments', index, piece)),
    { type: 'response.function_call_arguments.done', output_index: index, arguments: whole },
    done(index, functionCall(id, whole)),
  ]
}

/** All events of reasoning with a summary. */
export function thinks(index: number, texts: readonly string[], encrypted?: string): JsonObject[] {
  return [
    added(index, reasoning([])),
    ...texts.flatMap((text, part) => [
      { type: 'response.reasoning_summary_part.added', output_index: index, summary_index: part },
      delta('reasoning_summary_text', index, text, { summary_index: part }),
      { type: 'response.reasoning_summary_text.done', output_index: index, summary_index: part, text },
    ]),
    done(index, reasoning(texts, encrypted)),
  ]
}

export const RICH = stream(
  CREATED,
  IN_PROGRESS,
  ...thinks(0, ['Größe', 'zählt'], 'blob'),
  ...says(1, 'Grüße', ' aus 東京 🚀'),
  ...calls(2, 'call_1', '{"q":', '"Zürich"}'),
  completed(),
)
