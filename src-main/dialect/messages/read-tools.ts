// Reads the tools of a request in the messages format, and which of them the model is to use.

import { readMark, type Reading } from '#dialect/messages/reading.ts'
import { isRecord } from '#dialect/request-body.ts'
import type { Conversation, JsonObject, Tool, ToolChoice } from '#dialect/turn.ts'

const TOOL_MEMBERS = new Set(['type', 'name', 'description', 'input_schema', 'strict', 'cache_control'])

type Tools = Pick<Conversation, 'tools' | 'hostedTools' | 'toolChoice' | 'allowsParallelTools'>

export function readTools(value: JsonObject, reading: Reading): Tools {
  const given = Array.isArray(value['tools']) ? value['tools'] : []
  const tools: Tool[] = []
  /** Types of the tools that the provider would run, by their names. */
  const hosted = new Map<string, string>()
  for (const [index, tool] of given.filter(isRecord).entries()) {
    const type = tool['type']
    // Anthropic's own tools have a dated type and no schema; whatever has a schema can be called as a function.
    if (typeof type === 'string' && type !== 'custom' && !isRecord(tool['input_schema'])) {
      hosted.set(typeof tool['name'] === 'string' ? tool['name'] : type, type)
      continue
    }
    const read = readTool(tool, `tools[${index}]`, reading)
    if (read !== undefined) tools.push(read)
  }
  const choice = value['tool_choice']
  return {
    tools,
    hostedTools: [...hosted.values()],
    toolChoice: isRecord(choice) ? readChoice(choice, tools, hosted) : undefined,
    allowsParallelTools: isRecord(choice) ? readParallel(choice) : undefined,
  }
}

function readTool(tool: JsonObject, path: string, reading: Reading): Tool | undefined {
  const name = reading.name(tool, 'name', path)
  const { description, input_schema: schema, strict } = tool
  if (schema !== undefined && schema !== null && !isRecord(schema)) {
    return reading.refuse(`${path}.input_schema`, 'must be a JSON schema object')
  }
  reading.dropOthers(tool, 'tools[].', TOOL_MEMBERS)
  if (name === undefined) return undefined
  return {
    name,
    kind: 'function',
    description: typeof description === 'string' ? description : undefined,
    parameters: isRecord(schema) ? schema : undefined,
    isStrict: typeof strict === 'boolean' ? strict : undefined,
    cacheMark: readMark(tool),
  }
}

function readChoice(
  choice: JsonObject,
  tools: readonly Tool[],
  hosted: ReadonlyMap<string, string>,
): ToolChoice | undefined {
  switch (choice['type']) {
    case 'auto':
      return { type: 'auto' }
    case 'none':
      return { type: 'none' }
    case 'any':
      return { type: 'required' }
    default: {
      const name = String(choice['name'])
      const type = hosted.get(name)
      const isHosted = type !== undefined && !tools.some((tool) => tool.name === name)
      return isHosted ? { type: 'hosted', name: type } : { type: 'tool', name }
    }
  }
}

function readParallel(choice: JsonObject): boolean | undefined {
  const isDisabled = choice['disable_parallel_tool_use']
  return typeof isDisabled === 'boolean' ? !isDisabled : undefined
}
