// Tools by hand: what somebody says a model may call, what it calls, and what it was answered, in the formats that clients speak.

import type { TryBody } from '#contract/reports.ts'

/** A function that a model may call; `parameters` is a JSON schema. */
export type Tool = { readonly name: string; readonly description?: string; readonly parameters: object }

/** `input` is JSON text, as the model wrote it. */
export type ToolCall = {
  readonly id: string
  readonly name: string
  readonly input: string
  /** What a Gemini model wants back with its call. */
  readonly signature?: string
}

/** What a model said and called, and what it was given for each call. */
export type ToolStep = {
  readonly text: string
  readonly calls: readonly ToolCall[]
  readonly results: readonly string[]
}

/** What the field begins with. */
export const EXAMPLE_TOOL: Tool = {
  name: 'get_weather',
  description: 'Says what the weather is in a city.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}

/** One tool or a list of them, as typed; undefined for what is none. No text is no tools. */
export function readTools(text: string): readonly Tool[] | undefined {
  if (text.trim() === '') return []
  try {
    const value: unknown = JSON.parse(text)
    const tools = (Array.isArray(value) ? value : [value]).map(toolOf)
    return tools.includes(undefined) ? undefined : tools.filter((tool) => tool !== undefined)
  } catch {
    // Somebody is still typing.
    return undefined
  }
}

/** Those of the other formats are taken as well: `parameters` is `input_schema` there, or all of it stands in `function`. */
function toolOf(value: unknown): Tool | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if ('function' in value) return toolOf(value.function)
  const { name, description, parameters, input_schema: schema = parameters } = value as Record<string, unknown>
  if (typeof name !== 'string' || !/^[\w-]{1,64}$/.test(name)) return undefined
  if (schema !== undefined && (typeof schema !== 'object' || schema === null)) return undefined
  return {
    name,
    ...(typeof description === 'string' ? { description } : {}),
    parameters: schema ?? { type: 'object', properties: {} },
  }
}

/** The member of a request that names its tools; nothing where there are none. */
export function toolsMember(format: TryBody['endpoint'], tools: readonly Tool[]): object {
  if (tools.length === 0) return {}
  switch (format) {
    case 'chat':
      return { tools: tools.map((tool) => ({ type: 'function', function: tool })) }
    case 'messages':
      return { tools: tools.map(({ parameters, ...tool }) => ({ ...tool, input_schema: parameters })) }
    case 'responses':
      return { tools: tools.map((tool) => ({ type: 'function', ...tool })) }
    case 'gemini':
      return { tools: [{ functionDeclarations: tools }] }
    case 'embeddings':
    case 'gemini-embeddings':
      return {}
  }
}

/** A step as the messages or items that a conversation has for it. */
export function stepMessages(format: TryBody['endpoint'], { text, calls, results }: ToolStep): object[] {
  const resultOf = (index: number) => results[index] ?? ''
  switch (format) {
    case 'chat':
      return [
        { role: 'assistant', content: text === '' ? null : text, tool_calls: calls.map(chatCall) },
        ...calls.map(({ id }, index) => ({ role: 'tool', tool_call_id: id, content: resultOf(index) })),
      ]
    case 'messages':
      return [
        {
          role: 'assistant',
          content: [
            ...(text === '' ? [] : [{ type: 'text', text }]),
            ...calls.map(({ id, name, input }) => ({ type: 'tool_use', id, name, input: objectIn(input) })),
          ],
        },
        {
          role: 'user',
          content: calls.map(({ id }, index) => ({ type: 'tool_result', tool_use_id: id, content: resultOf(index) })),
        },
      ]
    case 'responses':
      return [
        ...(text === '' ? [] : [{ role: 'assistant', content: text }]),
        ...calls.map(({ id, name, input }) => ({ type: 'function_call', call_id: id, name, arguments: input })),
        ...calls.map(({ id }, index) => ({ type: 'function_call_output', call_id: id, output: resultOf(index) })),
      ]
    case 'gemini':
      return geminiStep({ text, calls, results })
    case 'embeddings':
    case 'gemini-embeddings':
      return []
  }
}

function chatCall({ id, name, input }: ToolCall): object {
  return { id, type: 'function', function: { name, arguments: input } }
}

/** Results are objects there; what was typed and is none stands in one. */
function geminiStep({ text, calls, results }: ToolStep): object[] {
  const callOf = ({ id, name, input, signature }: ToolCall) => ({
    functionCall: { ...(id === '' ? {} : { id }), name, args: objectIn(input) },
    ...(signature === undefined ? {} : { thoughtSignature: signature }),
  })
  const answerOf = ({ id, name }: ToolCall, index: number) => {
    const typed = results[index] ?? ''
    const given = objectIn(typed)
    const response = Object.keys(given).length > 0 ? given : { result: typed }
    return { functionResponse: { ...(id === '' ? {} : { id }), name, response } }
  }
  return [
    { role: 'model', parts: [...(text === '' ? [] : [{ text }]), ...calls.map(callOf)] },
    { role: 'user', parts: calls.map(answerOf) },
  ]
}

/** What is no JSON object counts as an empty one. */
function objectIn(text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
  } catch {
    return {}
  }
}

/** JSON with an indent where it is JSON, else as it came. */
export function prettyInput(input: string): string {
  try {
    return JSON.stringify(JSON.parse(input), null, 2)
  } catch {
    return input
  }
}
