// A model that uses a tool: it looks through the request's tools for one that runs a command, in whatever format and under
// whatever name, calls it in the shape its schema asks for, and answers in words once the result is there.
import type { Behaviour, ToolCall } from '../support/upstream-behaviour.ts'
import type { RecordedRequest } from '../support/upstream.ts'

export const TOOL_FILE = 'made-by-the-tool.txt'
/** Put together by the shell, so that the call itself does not contain what only its result can. */
const COMMAND = `printf made > ${TOOL_FILE} && echo "tool ""output ""here"`
const OUTPUT = 'tool output here'
export const TOOL_ANSWER = 'The tool has made the file.'
export const TOOL_PATCH = ['*** Begin Patch', `*** Add File: ${TOOL_FILE}`, '+made', '*** End Patch', ''].join('\n')

type JsonObject = Readonly<Record<string, unknown>>
type Tool = {
  readonly name: string
  readonly namespace?: string
  readonly isCustom: boolean
  readonly schema: JsonObject
}

const SHELLS = /^(bash|shell|exec_command|shell_command|local_shell|run_shell_command|execute_command|run_commands)$/i
const RESULT_TYPES = new Set(['tool_result', 'function_call_output', 'custom_tool_call_output'])

/** First a command, with a thought before it, then words. */
export function runsCommand(request: RecordedRequest): Behaviour {
  const results = resultsOf(request.body)
  if (results.some(hasOutput)) return { type: 'answer', text: TOOL_ANSWER }
  if (results.length > 0) return { type: 'answer', text: `It did not run: ${JSON.stringify(results)}` }
  const tool = toolsOf(request.body).find(({ name }) => SHELLS.test(name))
  if (tool === undefined) return { type: 'answer', text: `There is no shell among ${namesOf(request.body)}.` }
  const call = { id: 'call_scripted_1', name: tool.name, arguments: JSON.stringify(argumentsFor(tool.schema)) }
  return { type: 'answer', reasoning: 'A shell can do that.', text: 'I make the file.', toolCalls: [call] }
}

/** The same with the tool that takes a patch as free text. */
export function appliesPatch(request: RecordedRequest): Behaviour {
  const results = resultsOf(request.body)
  if (results.length > 0) return { type: 'answer', text: TOOL_ANSWER }
  const tool = toolsOf(request.body).find(({ name }) => name === 'apply_patch')
  if (tool === undefined) return { type: 'answer', text: `There is no apply_patch among ${namesOf(request.body)}.` }
  return { type: 'answer', toolCalls: [patchCall(tool)] }
}

function patchCall({ name, isCustom }: Tool): ToolCall {
  if (isCustom) return { id: 'call_scripted_1', name, arguments: TOOL_PATCH, kind: 'custom' }
  return { id: 'call_scripted_1', name, arguments: JSON.stringify({ input: TOOL_PATCH }) }
}

function hasOutput(result: JsonObject): boolean {
  return JSON.stringify(result).includes(OUTPUT)
}

function argumentsFor({ properties }: JsonObject): JsonObject {
  const known = isObject(properties) ? properties : {}
  const described = 'description' in known ? { description: 'Makes a file' } : {}
  if ('cmd' in known) return { cmd: COMMAND, ...described }
  const command = isObject(known.command) && known.command.type === 'array' ? ['sh', '-c', COMMAND] : COMMAND
  return { command, ...described }
}

function namesOf(body: JsonObject): string {
  return toolsOf(body)
    .map(({ name }) => name)
    .join(', ')
}

/** The tools of a request in any of the formats. */
function toolsOf({ tools }: JsonObject): Tool[] {
  return objectsIn(tools).flatMap(toolsFrom)
}

function toolsFrom(tool: JsonObject): Tool[] {
  if (tool.type === 'namespace' && typeof tool.name === 'string') {
    const namespace = tool.name
    return objectsIn(tool.tools).flatMap((inner) => toolsFrom(inner).map((found) => ({ ...found, namespace })))
  }
  if (Array.isArray(tool.functionDeclarations)) return objectsIn(tool.functionDeclarations).flatMap(toolsFrom)
  const described = isObject(tool.function) ? tool.function : tool
  const { name } = described
  if (typeof name !== 'string') return []
  const schema = described.parameters ?? described.parametersJsonSchema ?? described.input_schema
  return [{ name, isCustom: tool.type === 'custom', schema: isObject(schema) ? schema : {} }]
}

/** The tool results of a request in any of the formats. */
function resultsOf({ messages, input, contents }: JsonObject): JsonObject[] {
  const items = [...objectsIn(messages), ...objectsIn(input), ...objectsIn(contents)]
  const inner = items.flatMap((item) => [...objectsIn(item.content), ...objectsIn(item.parts)])
  return [...items, ...inner].filter(isResult)
}

function isResult({ role, type, functionResponse }: JsonObject): boolean {
  return role === 'tool' || (typeof type === 'string' && RESULT_TYPES.has(type)) || functionResponse !== undefined
}

function objectsIn(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
