// Reads the tools of a chat completion request. Clients send them in OpenAI's shape with a wrapper around each, in the flat
// shape of responses, in that of messages with an `input_schema`, and in the deprecated one as `functions`.

import { isGiven, type Notes } from '#dialect/chat-completions/notes.ts'
import { cacheMarkOf } from '#dialect/chat-completions/read-content.ts'
import { isRecord } from '#dialect/request-body.ts'
import { CUSTOM_INPUT_SCHEMA } from '#dialect/tools.ts'
import type { JsonObject, Tool, ToolChoice } from '#dialect/turn.ts'

export type ToolWishes = {
  readonly tools: readonly Tool[]
  readonly hostedTools: readonly string[]
  readonly toolChoice: ToolChoice | undefined
}

export function readTools(body: JsonObject, notes: Notes): ToolWishes {
  const tools: Tool[] = []
  const hostedTools: string[] = []
  for (const [index, value] of listOf(body['tools'], 'tools', notes).entries()) {
    const param = `tools[${index}]`
    if (!isRecord(value)) notes.wrong(param, 'must be an object')
    else if (isHosted(value)) hostedTools.push(String(value['type']))
    else addTool(tools, readTool(value, param, notes))
  }
  for (const [index, value] of listOf(body['functions'], 'functions', notes).entries()) {
    const param = `functions[${index}]`
    if (isRecord(value)) addTool(tools, readFunction(value, param, notes))
    else notes.wrong(param, 'must be an object')
  }
  if (isRecord(body['web_search_options'])) hostedTools.push('web_search')
  return chooseTools(body, { tools, hostedTools, toolChoice: undefined }, notes)
}

function listOf(value: unknown, param: string, notes: Notes): readonly unknown[] {
  if (value === undefined || value === null) return []
  if (Array.isArray(value)) return value
  notes.wrong(param, 'must be an array')
  return []
}

function addTool(tools: Tool[], tool: Tool | undefined): void {
  if (tool !== undefined) tools.push(tool)
}

/** A tool with a type of its own and nothing that would let a model call it by arguments. */
function isHosted(tool: JsonObject): boolean {
  const { type } = tool
  if (typeof type !== 'string' || type === '' || type === 'function' || type === 'custom') return false
  return !isRecord(tool['function']) && schemaOf(tool) === undefined
}

function readTool(tool: JsonObject, param: string, notes: Notes): Tool | undefined {
  if (isRecord(tool['function'])) return readFunction({ ...tool, ...tool['function'] }, `${param}.function`, notes)
  if (isRecord(tool['custom'])) return readCustom({ ...tool, ...tool['custom'] }, `${param}.custom`, notes)
  // Tools of the messages format have the type `custom` and a schema; a custom tool takes free text and has none.
  if (tool['type'] === 'custom' && schemaOf(tool) === undefined) return readCustom(tool, param, notes)
  return readFunction(tool, param, notes)
}

function readFunction(tool: JsonObject, param: string, notes: Notes): Tool | undefined {
  const { name, parameters } = tool
  if (typeof name !== 'string' || name === '') return notes.wrong(`${param}.name`, 'must be a non-empty string')
  if (parameters !== undefined && parameters !== null && !isRecord(parameters)) {
    return notes.wrong(`${param}.parameters`, 'must be a JSON schema')
  }
  return {
    name,
    kind: 'function',
    description: describes(tool),
    parameters: schemaOf(tool),
    isStrict: typeof tool['strict'] === 'boolean' ? tool['strict'] : undefined,
    cacheMark: cacheMarkOf(tool),
  }
}

function readCustom(tool: JsonObject, param: string, notes: Notes): Tool | undefined {
  const { name, format } = tool
  if (typeof name !== 'string' || name === '') return notes.wrong(`${param}.name`, 'must be a non-empty string')
  const texts = [describes(tool), isRecord(format) ? grammarText(format) : undefined]
  const description = texts.filter((text) => text !== undefined).join('\n\n')
  return {
    name,
    kind: 'custom',
    description: description === '' ? undefined : description,
    parameters: CUSTOM_INPUT_SCHEMA,
    isStrict: undefined,
    cacheMark: cacheMarkOf(tool),
  }
}

/** No provider but OpenAI's own can be held to a grammar, so the model is told of it. */
function grammarText(format: JsonObject): string | undefined {
  const grammar = isRecord(format['grammar']) ? format['grammar'] : format
  const { syntax, definition } = grammar
  if (typeof definition !== 'string' || definition === '') return undefined
  const kind = typeof syntax === 'string' ? `${syntax} ` : ''
  return `The member 'input' must match this ${kind}grammar:\n${definition}`
}

function describes(tool: JsonObject): string | undefined {
  return typeof tool['description'] === 'string' ? tool['description'] : undefined
}

function schemaOf(tool: JsonObject): JsonObject | undefined {
  if (isRecord(tool['parameters'])) return tool['parameters']
  return isRecord(tool['input_schema']) ? tool['input_schema'] : undefined
}

function chooseTools(body: JsonObject, wishes: ToolWishes, notes: Notes): ToolWishes {
  const choice = body['tool_choice'] ?? body['function_call']
  const param = isGiven(body['tool_choice']) ? 'tool_choice' : 'function_call'
  if (!isGiven(choice)) return wishes
  if (isRecord(choice) && choice['type'] === 'allowed_tools') return allowTools(choice, wishes)
  const toolChoice = typeof choice === 'string' ? modeOf(choice) : isRecord(choice) ? namedChoice(choice) : undefined
  if (toolChoice === undefined) notes.drop(param)
  const isUnknown = toolChoice?.type === 'tool' && !wishes.tools.some(({ name }) => name === toolChoice.name)
  if (isUnknown) notes.wrong(param, "names a tool that is not in 'tools'")
  return { ...wishes, toolChoice }
}

function modeOf(mode: string): ToolChoice | undefined {
  if (mode === 'any') return { type: 'required' }
  return mode === 'auto' || mode === 'none' || mode === 'required' ? { type: mode } : undefined
}

/** A choice of one tool, wrapped or flat; of a hosted one by its type; or a mode in the shape of messages. */
function namedChoice(choice: JsonObject): ToolChoice | undefined {
  const { type } = choice
  const inner = [choice['function'], choice['custom']].find(isRecord)
  const name = inner?.['name'] ?? choice['name']
  if (typeof name === 'string' && name !== '') return { type: 'tool', name }
  if (typeof type !== 'string' || type === 'function' || type === 'custom' || type === 'tool') return undefined
  return modeOf(type) ?? { type: 'hosted', name: type }
}

/** Only some of the tools may be called: the others are not given to the model at all. */
function allowTools(choice: JsonObject, { tools, hostedTools }: ToolWishes): ToolWishes {
  const allowed = isRecord(choice['allowed_tools']) ? choice['allowed_tools'] : choice
  const listed = Array.isArray(allowed['tools']) ? allowed['tools'].filter(isRecord) : []
  const choices = listed.map(namedChoice)
  const names = new Set(choices.map((named) => (named?.type === 'tool' ? named.name : undefined)))
  const types = new Set(choices.map((named) => (named?.type === 'hosted' ? named.name : undefined)))
  return {
    tools: tools.filter(({ name }) => names.has(name)),
    hostedTools: hostedTools.filter((type) => types.has(type)),
    toolChoice: { type: allowed['mode'] === 'required' ? 'required' : 'auto' },
  }
}
