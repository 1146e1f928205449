// The calls of tools in an answer, whole or in pieces, in the formats that clients speak.

import { at, listAt, textAt } from '#renderer/data/json-path.ts'
import type { Format } from '#renderer/data/try-request.ts'
import type { ToolCall } from '#renderer/data/try-tools.ts'

/** The calls of an answer that came whole. */
export function callsIn(format: Format, value: unknown): readonly ToolCall[] {
  switch (format) {
    case 'chat':
      return listAt(at(value, 'choices', 0, 'message'), 'tool_calls').map((call) => ({
        id: textAt(call, 'id'),
        name: textAt(call, 'function', 'name'),
        input: textAt(call, 'function', 'arguments'),
      }))
    case 'messages':
      return listAt(value, 'content').flatMap((block) =>
        at(block, 'type') === 'tool_use' ? [messagesCall(block, JSON.stringify(at(block, 'input') ?? {}))] : [],
      )
    case 'responses':
      return listAt(value, 'output').flatMap(responsesCall)
    case 'gemini':
      return geminiCalls(value)
    case 'embeddings':
    case 'gemini-embeddings':
      return []
  }
}

/** The calls with what the next event of a stream says of them. */
export function withCalls(format: Format, calls: readonly ToolCall[], event: unknown): readonly ToolCall[] {
  switch (format) {
    case 'chat':
      return listAt(at(event, 'choices', 0, 'delta'), 'tool_calls').reduce<readonly ToolCall[]>(withDelta, calls)
    case 'messages':
      return withBlock(calls, event)
    case 'responses':
      return at(event, 'type') === 'response.output_item.done' ? [...calls, ...responsesCall(at(event, 'item'))] : calls
    case 'gemini':
      return [...calls, ...geminiCalls(event)]
    case 'embeddings':
    case 'gemini-embeddings':
      return calls
  }
}

/** Only the first piece of a call has its id and its name. */
function withDelta(calls: readonly ToolCall[], delta: unknown): readonly ToolCall[] {
  const index = Number(at(delta, 'index') ?? 0)
  const before = calls[index]
  const input = textAt(delta, 'function', 'arguments')
  if (before === undefined)
    return [...calls, { id: textAt(delta, 'id'), name: textAt(delta, 'function', 'name'), input }]
  return calls.with(index, { ...before, input: before.input + input })
}

/** The pieces of a block come before the next one begins. */
function withBlock(calls: readonly ToolCall[], event: unknown): readonly ToolCall[] {
  const block = at(event, 'content_block')
  if (at(block, 'type') === 'tool_use') return [...calls, messagesCall(block, '')]
  const last = calls.at(-1)
  if (last === undefined || at(event, 'delta', 'type') !== 'input_json_delta') return calls
  return calls.with(-1, { ...last, input: last.input + textAt(event, 'delta', 'partial_json') })
}

function messagesCall(block: unknown, input: string): ToolCall {
  return { id: textAt(block, 'id'), name: textAt(block, 'name'), input }
}

function responsesCall(item: unknown): ToolCall[] {
  if (at(item, 'type') !== 'function_call') return []
  return [{ id: textAt(item, 'call_id'), name: textAt(item, 'name'), input: textAt(item, 'arguments') }]
}

function geminiCalls(value: unknown): ToolCall[] {
  return listAt(at(value, 'candidates', 0, 'content'), 'parts').flatMap((part) => {
    const call = at(part, 'functionCall')
    if (call === undefined) return []
    const signature = at(part, 'thoughtSignature')
    return [
      {
        id: textAt(call, 'id'),
        name: textAt(call, 'name'),
        input: JSON.stringify(at(call, 'args') ?? {}),
        ...(typeof signature === 'string' ? { signature } : {}),
      },
    ]
  })
}
