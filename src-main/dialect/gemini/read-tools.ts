// Reads the tools of a client's request, and which of them the model is to use.

import { camelOf, field } from '#dialect/gemini/fields.ts'
import { toJsonSchema } from '#dialect/gemini/json-schema.ts'
import { dropOthers } from '#dialect/gemini/read-parts.ts'
import type { Reading } from '#dialect/messages/reading.ts'
import { isRecord } from '#dialect/request-body.ts'
import type { Conversation, JsonObject, Tool, ToolChoice } from '#dialect/turn.ts'

const FUNCTIONS = 'functionDeclarations'
const MEMBERS = new Set('name description parameters parametersJsonSchema response responseJsonSchema'.split(' '))
const CONFIG_MEMBERS = new Set(['functionCallingConfig'])
const CALLING_MEMBERS = new Set(['mode', 'allowedFunctionNames'])

type DeclaredTools = Pick<Conversation, 'tools' | 'hostedTools' | 'toolChoice'>

export function readTools(value: JsonObject, reading: Reading): DeclaredTools {
  const given = field(value, 'tools')
  const tools: Tool[] = []
  const hosted = new Set<string>()
  for (const [index, tool] of (Array.isArray(given) ? given : []).entries()) {
    if (!isRecord(tool)) continue
    const declarations = field(tool, FUNCTIONS)
    for (const [at, declaration] of (Array.isArray(declarations) ? declarations : []).entries()) {
      const read = readDeclaration(declaration, `tools[${index}].${FUNCTIONS}[${at}]`, reading)
      if (read !== undefined) tools.push(read)
    }
    // Everything else is a tool that Google runs, and an empty object asks for it.
    for (const [name, member] of Object.entries(tool)) {
      if (camelOf(name) !== FUNCTIONS && member !== null) hosted.add(camelOf(name))
    }
  }
  return { hostedTools: [...hosted], ...readConfig(value, tools, reading) }
}

function readDeclaration(given: unknown, path: string, reading: Reading): Tool | undefined {
  if (!isRecord(given)) return reading.refuse(path, 'must be an object')
  const name = reading.name(given, 'name', path)
  dropOthers(given, `${FUNCTIONS}[].`, MEMBERS, reading)
  const { description } = given
  const schema = field(given, 'parametersJsonSchema') ?? given['parameters']
  if (schema !== undefined && schema !== null && !isRecord(schema)) {
    return reading.refuse(`${path}.parameters`, 'must be a schema object')
  }
  if (name === undefined) return undefined
  return {
    name,
    kind: 'function',
    description: typeof description === 'string' ? description : undefined,
    parameters: isRecord(schema) ? toJsonSchema(schema) : undefined,
    isStrict: undefined,
  }
}

function readConfig(
  value: JsonObject,
  tools: readonly Tool[],
  reading: Reading,
): Pick<DeclaredTools, 'tools' | 'toolChoice'> {
  const config = field(value, 'toolConfig')
  if (!isRecord(config)) return { tools, toolChoice: undefined }
  dropOthers(config, 'toolConfig.', CONFIG_MEMBERS, reading)
  const calling = field(config, 'functionCallingConfig')
  if (!isRecord(calling)) return { tools, toolChoice: undefined }
  dropOthers(calling, 'functionCallingConfig.', CALLING_MEMBERS, reading)
  const { mode } = calling
  const names = field(calling, 'allowedFunctionNames')
  const allowed = new Set(Array.isArray(names) ? names : [])
  const isForced = typeof mode === 'string' && mode.toUpperCase() === 'ANY'
  const kept = allowed.size === 0 ? tools : tools.filter(({ name }) => allowed.has(name))
  return { tools: kept, toolChoice: choiceOf(mode, isForced && allowed.size === 1 ? kept : []) }
}

/** `only` is the one tool that may be called, where it must be. */
function choiceOf(mode: unknown, [only]: readonly Tool[]): ToolChoice | undefined {
  if (only !== undefined) return { type: 'tool', name: only.name }
  switch (typeof mode === 'string' ? mode.toUpperCase() : mode) {
    case 'ANY':
      return { type: 'required' }
    case 'NONE':
      return { type: 'none' }
    case 'AUTO':
    case 'VALIDATED':
      return { type: 'auto' }
    default:
      return undefined
  }
}
