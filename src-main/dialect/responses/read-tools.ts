// Tools and the choice among them in the responses format: functions, tools that take free text, namespaces of both, Codex's
// own search and shell, and tools that the provider would run.

import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import { isRecord } from '#dialect/request-body.ts'
import { CUSTOM_INPUT_SCHEMA } from '#dialect/tools.ts'
import type { JsonObject, Tool, ToolKind } from '#dialect/turn.ts'

/** What stands for the tools of which a client may have only one. */
export const TOOL_SEARCH = 'tool_search'
export const LOCAL_SHELL = 'local_shell'

const LOCAL_SHELL_DESCRIPTION = 'Runs a command on the machine of the user and gives back what it printed.'
const LOCAL_SHELL_SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    command: { type: 'array', items: { type: 'string' }, description: 'The program and its arguments.' },
    working_directory: { type: 'string' },
    timeout_ms: { type: 'integer' },
    env: { type: 'object', additionalProperties: { type: 'string' } },
  },
  required: ['command'],
}

/** Collects the tools of a request; a tool that is named twice is kept once. */
export class ToolList {
  tools: Tool[] = []
  /** Types of the tools that the provider would run. */
  hosted: string[] = []
  readonly #known = new Set<string>()

  /** Adds what an array of definitions holds. A refusal names the definition that is wrong. */
  read(definitions: unknown, param: string): Refusal | undefined {
    if (definitions === undefined || definitions === null) return undefined
    if (!Array.isArray(definitions)) return wrong(param, 'must be an array of tool definitions')
    for (const [index, definition] of definitions.entries()) {
      const path = `${param}[${index}]`
      if (!isRecord(definition)) return wrong(path, 'must be an object')
      const problem = this.#readOne(definition, path)
      if (problem !== undefined) return problem
    }
    return undefined
  }

  /** Takes over the tools of another list. */
  addAll({ tools, hosted }: ToolList): void {
    for (const tool of tools) this.#add(tool)
    for (const type of hosted) this.#addHosted(type)
  }

  /** Keeps those tools that the client allows in `tool_choice`. */
  keep(isAllowed: (tool: Tool) => boolean, isHostedAllowed: (type: string) => boolean): void {
    this.tools = this.tools.filter(isAllowed)
    this.hosted = this.hosted.filter(isHostedAllowed)
  }

  #readOne(definition: JsonObject, param: string): Refusal | undefined {
    // A tool without a type that has a name can only be a function.
    const type = definition['type'] ?? ('name' in definition ? 'function' : undefined)
    if (typeof type !== 'string' || type === '') return wrong(`${param}.type`, 'must be the type of a tool')
    switch (type) {
      case 'function':
      case 'custom':
        return this.#add(readNamed(definition, type, param))
      case 'namespace':
        return this.#readNamespace(definition, param)
      case TOOL_SEARCH:
        if (definition['execution'] !== 'client') break
        return this.#add(readOwn(definition, { name: TOOL_SEARCH, kind: 'tool-search' }))
      case LOCAL_SHELL:
        return this.#add({
          name: LOCAL_SHELL,
          kind: 'local-shell',
          description: LOCAL_SHELL_DESCRIPTION,
          parameters: LOCAL_SHELL_SCHEMA,
          isStrict: undefined,
        })
    }
    this.#addHosted(type)
    return undefined
  }

  #addHosted(type: string): void {
    if (this.#isNew(`hosted\0${type}`)) this.hosted.push(type)
  }

  #readNamespace(definition: JsonObject, param: string): Refusal | undefined {
    const { name, description, tools } = definition
    if (typeof name !== 'string' || name === '') return wrong(`${param}.name`, 'must be a non-empty string')
    if (!Array.isArray(tools)) return wrong(`${param}.tools`, 'must be an array of tool definitions')
    let heading = typeof description === 'string' ? description : ''
    for (const [index, inner] of tools.entries()) {
      const path = `${param}.tools[${index}]`
      if (!isRecord(inner)) return wrong(path, 'must be an object')
      const type = inner['type'] ?? 'function'
      if (type !== 'function' && type !== 'custom') return wrong(`${path}.type`, "must be 'function' or 'custom'")
      const tool = readNamed(inner, type, path)
      if (isRefusal(tool)) return tool
      // Functions have no groups, so what is said about the whole group is said with its first tool.
      const text = [heading, tool.description ?? ''].filter((line) => line !== '').join('\n\n')
      heading = ''
      const problem = this.#add({ ...tool, namespace: name, description: text === '' ? undefined : text })
      if (problem !== undefined) return problem
    }
    return undefined
  }

  #add(tool: Tool | Refusal): Refusal | undefined {
    if (isRefusal(tool)) return tool
    if (this.#isNew(`tool\0${tool.namespace ?? ''}\0${tool.name}`)) this.tools.push(tool)
    return undefined
  }

  #isNew(key: string): boolean {
    const count = this.#known.size
    return this.#known.add(key).size > count
  }
}

function readNamed(definition: JsonObject, kind: 'function' | 'custom', param: string): Tool | Refusal {
  // Clients that also speak chat completions nest a tool under the name of its type.
  const nested = definition[kind]
  const fields = isRecord(nested) ? nested : definition
  const path = isRecord(nested) ? `${param}.${kind}` : param
  const { name } = fields
  if (typeof name !== 'string' || name === '') return wrong(`${path}.name`, 'must be a non-empty string')
  if (kind === 'custom') {
    const description = customDescription(fields)
    return { name, kind, description, parameters: CUSTOM_INPUT_SCHEMA, isStrict: undefined }
  }
  const parameters = fields['parameters'] ?? fields['input_schema'] ?? undefined
  if (parameters !== undefined && !isRecord(parameters)) return wrong(`${path}.parameters`, 'must be a JSON schema')
  const isStrict = typeof fields['strict'] === 'boolean' ? fields['strict'] : undefined
  return { name, kind, description: textIn(fields['description']), parameters, isStrict }
}

function readOwn(definition: JsonObject, own: { readonly name: string; readonly kind: ToolKind }): Tool {
  const { parameters } = definition
  return {
    ...own,
    description: textIn(definition['description']),
    parameters: isRecord(parameters) ? parameters : undefined,
    isStrict: undefined,
  }
}

/** A function has no place for a grammar, so the model is told of it in words. */
function customDescription(fields: JsonObject): string | undefined {
  const description = textIn(fields['description'])
  const format = fields['format']
  if (!isRecord(format) || format['type'] !== 'grammar') return description
  // Chat completions nest the grammar once more.
  const grammar = isRecord(format['grammar']) ? format['grammar'] : format
  const { definition, syntax } = grammar
  if (typeof definition !== 'string') return description
  const kind = typeof syntax === 'string' ? `${syntax} grammar` : 'grammar'
  const rule = `The input must be text that fits this ${kind}:\n${definition}`
  return description === undefined ? rule : `${description}\n\n${rule}`
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function wrong(param: string, says: string): Refusal {
  return refuse('invalid_request', `'${param}' ${says}.`, { param })
}
