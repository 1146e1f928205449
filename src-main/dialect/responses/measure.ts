// What a model generated in an event or in a whole answer of the responses format. Used for estimates only, where a provider
// reports no usage.

import type { GeneratedText } from '#dialect/generated-text.ts'
import { isRecord } from '#dialect/request-body.ts'

const DELTAS = new Set([
  'response.output_text.delta',
  'response.refusal.delta',
  'response.reasoning_text.delta',
  'response.reasoning_summary_text.delta',
  'response.function_call_arguments.delta',
  'response.custom_tool_call_input.delta',
  'response.mcp_call_arguments.delta',
  'response.code_interpreter_call_code.delta',
])

/** Adds what an event of a stream brings: text of a delta, or the name of a tool that is called. */
export function addGeneratedEvent(generated: GeneratedText, event: Readonly<Record<string, unknown>>): void {
  const { type } = event
  if (typeof type !== 'string') return
  if (DELTAS.has(type)) add(generated, event['delta'])
  else if (type === 'response.output_item.added' && isRecord(event['item'])) add(generated, event['item']['name'])
}

/** Adds what a whole answer's output items hold. */
export function addGeneratedOutput(generated: GeneratedText, output: readonly unknown[]): void {
  for (const item of output) {
    if (!isRecord(item)) continue
    for (const name of ['name', 'arguments', 'input', 'code']) add(generated, item[name])
    for (const name of ['content', 'summary']) addParts(generated, item[name])
  }
}

function addParts(generated: GeneratedText, parts: unknown): void {
  if (!Array.isArray(parts)) return
  for (const part of parts) {
    if (!isRecord(part)) continue
    add(generated, part['text'])
    add(generated, part['refusal'])
  }
}

function add(generated: GeneratedText, value: unknown): void {
  if (typeof value === 'string') generated.add(value)
}
